// Two textbook claims about the cost of attention, measured on this machine rather than typed: what the n × n matrix of
// weights costs in memory and what the tiled kernel does instead, and how much dearer additive scores are than
// multiplicative ones. Behind `quench bench attention --memory` and `--scores`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quench::attention {

struct MemoryRow {
  std::size_t length = 0;
  std::size_t matrix_entries = 0;           ///< n²
  std::optional<std::size_t> matrix_bytes;  ///< measured growth of the process with the float n × n matrix; none if
                                            ///< the matrix would not fit the budget
  std::size_t tiled_forward_bytes = 0;      ///< measured growth of the tiled forward pass, results included
  std::size_t tiled_backward_bytes = 0;     ///< and of the backward pass
};

/// One row per length, float32, causal, head width `width`. The n × n matrix is made and filled only if it stays within
/// `matrix_budget` bytes. Growth is that of the peak resident memory. Throws IoError where the system does not tell.
std::vector<MemoryRow> measure_memory(std::span<const std::size_t> lengths, std::size_t width,
                                      std::size_t matrix_budget);
std::string to_table(std::span<const MemoryRow> rows);

struct ScoreCost {
  std::string score;
  double nanoseconds_per_pair = 0;
  double relative = 0;  ///< to the plain dot product
};

/// Every score over `length` × `length` pairs of width `width` (the additive one with as many hidden units), best of
/// three.
std::vector<ScoreCost> measure_scores(std::size_t length, std::size_t width);
std::string to_table(std::span<const ScoreCost> costs);

}  // namespace quench::attention
