// QUENCH_UNROLL(n) before a loop: write its body n times. Sums held in an array of registers need it to stay there.
// Sanitizers look at every copy, which takes minutes to compile, so there the loop stays a loop.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QUENCH_UNROLL(n)
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define QUENCH_UNROLL(n)
#endif

#ifndef QUENCH_UNROLL
#define QUENCH_PRAGMA(text) _Pragma(#text)
#define QUENCH_UNROLL(n) QUENCH_PRAGMA(GCC unroll n)
#endif
