// Functions marked QUENCH_MULTIVERSION are compiled for several instruction sets; the loader picks the best the machine
// has. Contraction is off everywhere, so every version computes the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define QUENCH_MULTIVERSION __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define QUENCH_MULTIVERSION
#endif
