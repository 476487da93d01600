"""Where samples come from: the spec, PyTorch's OpInfo, a user's file, the schema alone."""
