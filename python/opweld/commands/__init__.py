"""What the commands do, a module per command; none is imported before its command runs."""
