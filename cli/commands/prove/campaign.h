// A campaign on the command line: `quench verify --campaign` on the threads of this machine, quench-mpi on ranks.
#pragma once

#include <string>

#include "campaign/session.h"
#include "cli/command.h"

namespace quench::cli {

/// --campaign, --journal, --retry.
struct CampaignArguments {
  std::string campaign, journal;
  bool retry = false;

  /// `named`: whether the command takes --campaign (and does something else without).
  void add_to(App& command, bool named = true);
};

/// Prints the report. Throws NegativeFinding if a promise was broken or a piece could not be done, Interrupted after an
/// interrupt: then the journal holds what was done.
void run_campaign(const campaign::Campaign& campaign, const CampaignArguments& arguments, campaign::Crew& crew,
                  bool json);

}  // namespace quench::cli
