"""Reads sources into facts: C++ with tree-sitter, Python with ast, YAML."""
