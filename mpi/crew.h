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
  /// `spare_first`: rank 0 gives out pieces and does none, as it should where there are hundreds to give them to.
  explicit RankCrew(bool spare_first) : spare_first_(spare_first) {}
  /// Of ranks that nobody has told anything yet, to let them go.
  ~RankCrew() override;
  void work(const campaign::Work& work, const std::vector<std::uint64_t>& pieces, const Take& take,
            const std::function<bool()>& stopped) override;

 private:
  bool spare_first_;
  bool told_ = false;
};

/// What the other ranks do: pieces of the work that `make` makes from the document, until there are no more.
void serve(const std::function<std::unique_ptr<campaign::Work>(const std::string& document)>& make);

}  // namespace quench::mpi
