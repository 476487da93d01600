extern "C" void no_such_function();

static const int broken = (no_such_function(), 1);
