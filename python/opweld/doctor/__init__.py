"""`opweld doctor`: explains why an operator does not work.

Sources are read, not run; a library or a package that must be loaded is loaded in a process of its own.
"""
