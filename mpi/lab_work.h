// Experiments of lab/ as work for a crew: a piece is an experiment. Ranks write the results into one directory, which
// all of them must see.
#pragma once

#include <string>
#include <vector>

#include "campaign/work.h"
#include "lab/session.h"

namespace quench::mpi {

class LabWork : public campaign::Work {
 public:
  /// Throws UserError if there is no such experiment.
  LabWork(std::vector<std::string> names, std::string out, const lab::Settings& settings, bool force);
  static std::unique_ptr<LabWork> from(const nlohmann::json& document);

  std::string name() const override { return "lab"; }
  std::string document() const override;
  std::uint64_t pieces() const override { return experiments_.size(); }
  /// The findings, a text each.
  nlohmann::json run(std::uint64_t piece) const override;
  const lab::Experiment& experiment(std::uint64_t piece) const { return *experiments_[piece]; }

 private:
  std::vector<const lab::Experiment*> experiments_;
  std::string out_;
  lab::Settings settings_;
  bool force_;
};

}  // namespace quench::mpi
