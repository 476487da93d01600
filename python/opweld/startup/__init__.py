"""What a Python on the software NPU, or under `opweld run`, does at its start: this folder is on its path."""
