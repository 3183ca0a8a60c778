// Work in numbered pieces, and who does it. What a piece gives depends on its number alone; a crew does the pieces that
// are asked for in any order, on threads here or on the ranks of an MPI program (mpi/).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace quench::campaign {

class Work {
 public:
  virtual ~Work() = default;
  virtual std::string name() const = 0;
  /// From which the same work can be made anywhere (work_from, or whoever else made it).
  virtual std::string document() const = 0;
  virtual std::uint64_t pieces() const = 0;
  /// Const use from several threads is safe.
  virtual nlohmann::json run(std::uint64_t piece) const = 0;
};

class Crew {
 public:
  /// What a piece gave, and how long that took; called by one thread at a time.
  using Take = std::function<void(std::uint64_t piece, const nlohmann::json& result, double seconds)>;
  virtual ~Crew() = default;
  /// Returns when all of them are done, or `stopped` has said so: pieces in flight are then still taken.
  virtual void work(const Work& work, const std::vector<std::uint64_t>& pieces, const Take& take,
                    const std::function<bool()>& stopped) = 0;
};

/// So many threads of this process; 0: one per core.
std::unique_ptr<Crew> crew_of_threads(int threads);

}  // namespace quench::campaign
