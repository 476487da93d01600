"""Runs other projects' tests on the software NPU and compares their outcomes with those recorded."""
