// What one request may cost, and what is kept. Every answer over a limit names it (docs/studio.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace quench::studio {

struct Limits {
  std::size_t body_bytes = 256 << 10;
  std::size_t text_bytes = 16 << 10;               ///< of a rule
  std::size_t word = 512;                          ///< symbols of a word that is looked at
  std::size_t view_cells = std::size_t{1} << 22;   ///< attention weights in one answer
  std::size_t length = std::size_t{1} << 20;       ///< symbols of a long word …
  std::size_t slow_length = std::size_t{1} << 12;  ///< … in a format without an engine in linear time
  std::size_t models = 32;                         ///< that are kept
  std::size_t model_bytes = std::size_t{256} << 20;
  std::size_t jobs = 4;      ///< streams at a time
  double seconds = 20;       ///< for one answer
  double job_seconds = 120;  ///< for one stream
  std::size_t certify_formats = 8;
  std::uint64_t verify_words = 20'000'000;
};

}  // namespace quench::studio
