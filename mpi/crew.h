// The ranks of an MPI program as a crew. Rank 0 gives pieces out as ranks ask for them, and takes what they find; it
// does pieces itself on a thread of its own. The other ranks get the work as a document and need no files.
//
// MPI is called by one thread of every rank. A rank that asks has its piece within kPause, which is little against what
// a piece takes; waiting costs no core.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "campaign/work.h"

namespace quench::mpi {

class RankCrew : public campaign::Crew {
 public:
  /// On rank 0, and before anything there can fail: the other ranks wait from the start to be told something.
  RankCrew();
  /// Lets the ranks go that still wait, with work or without.
  ~RankCrew() override;
  RankCrew(const RankCrew&) = delete;
  RankCrew& operator=(const RankCrew&) = delete;

  /// Rank 0 gives out pieces and does none, as it should where there are hundreds to give them to.
  void spare_first() { spare_first_ = true; }
  void work(const campaign::Work& work, const std::vector<std::uint64_t>& pieces, const Take& take,
            const std::function<bool()>& stopped) override;

 private:
  int others_;  ///< ranks that have not been let go
  bool spare_first_ = false;
  bool told_ = false;  ///< which work it is
};

/// What the other ranks do: pieces of the work that `make` makes from the document, until there are no more.
void serve(const std::function<std::unique_ptr<campaign::Work>(const std::string& document)>& make);

}  // namespace quench::mpi
