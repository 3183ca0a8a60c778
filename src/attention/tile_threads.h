// How the tiled passes spread their work over threads. Internal to attention/tiled.cpp and tiled_backward.cpp.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "attention/tiled.h"

namespace quench::attention {

inline std::size_t threads_for(const TiledAttention& attention) {
  return attention.parallel ? static_cast<std::size_t>(std::max(tbb::this_task_arena::max_concurrency(), 1)) : 1;
}

// Calls run(0), …, run(count − 1). A thread takes the next when it is done with one, so that in the end they wait for
// the last ones only: put the costly ones first. Against ranges as TBB splits them, which left two threads with 6 and 5
// of eleven equal groups, two threads at n = 1,024, d = 64 gain 3 % forward and 8 % forward and backward, causal.
template <class Run>
void for_each_in_turn(std::size_t count, std::size_t threads, Run&& run) {
  if (threads == 1 || count < 2) {
    for (std::size_t k = 0; k < count; ++k) run(k);
    return;
  }
  std::atomic<std::size_t> next{0};
  tbb::parallel_for(std::size_t{0}, std::min(threads, count), [&](std::size_t) {
    for (std::size_t k = next++; k < count; k = next++) run(k);
  });
}

}  // namespace quench::attention
