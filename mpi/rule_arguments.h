// A rule on the command line of quench-mpi, and how it is tried: with the options and defaults of the plain commands,
// made into a campaign of that one rule. Options of theirs that make no sense here are refused with what to do instead.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "campaign/campaign.h"
#include "cli/arguments/source.h"

namespace quench::mpi {

class RuleArguments {
 public:
  explicit RuleArguments(campaign::Task task) : task_(task) {}
  void add_to(cli::App& command);
  /// Throws UserError for what is not for here, and, next to --campaign, for anything about a rule.
  void check(bool campaign_given) const;
  /// Throws UserError and RenderedError.
  campaign::Campaign campaign();

 private:
  void add_recipes(cli::App& command);
  void refuse(cli::Option* option, const std::string& why) { refused_.emplace_back(option, why); }
  campaign::Trial trial(const lang::Rule& rule) const;
  std::vector<std::string> recipes(const lang::Rule& rule) const;
  std::string recipe_options() const;

  campaign::Task task_;
  cli::SourceArguments source_;
  std::vector<cli::Option*> own_;
  std::vector<std::pair<cli::Option*, std::string>> refused_;
  std::vector<std::string> recipes_, formats_;
  std::string gamma_, sharpen_, length_;
  bool decoder_ = false, digits_ = false, unshared_ = false;
  std::string engine_ = "auto", random_;
  int exhaustive_ = -1;
  std::size_t shortest_ = 1, longest_ = 100'000, parts_ = 64, seed_ = 1;
  bool strict_ = false;
  bool no_flag_ = false;  ///< what refused options are written to
  std::string no_text_;
};

}  // namespace quench::mpi
