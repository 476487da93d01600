"""What the graph engine makes of a compiled model: reports for `opweld graph`."""
