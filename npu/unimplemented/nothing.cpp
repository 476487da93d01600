// A library that must exist and has no function of its own.
