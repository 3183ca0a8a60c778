// Many clients at once, as good and as bad as clients are: random rules and words whose answers are compared with
// evaluate(), malformed bodies, slow senders, and some that hang up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace quench::studio {

struct LoadReport {
  std::map<std::string, std::uint64_t> requests;            ///< by kind
  std::map<std::string, std::vector<double>> milliseconds;  ///< of those that were answered in full
  std::uint64_t answers = 0, wrong = 0, busy = 0, unanswered = 0;
  std::vector<std::string> mistakes;  ///< the first few, in words
};

LoadReport run_load(int port, std::size_t clients, double seconds, std::uint64_t seed = 1);

/// Resident, of this process.
double memory_megabytes();

}  // namespace quench::studio
