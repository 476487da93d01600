// A kernel source for the tests of the spec: it is looked for, never compiled.
