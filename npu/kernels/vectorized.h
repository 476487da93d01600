// Loops that are built once for each vector length; the loader picks the host's.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#define OPWELD_VECTORIZED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define OPWELD_VECTORIZED
#endif
