"""Checks of the facts that sources tell; each module has the rules of one subject."""
