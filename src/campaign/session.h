// A campaign from beginning to end: what the journal has is taken over, a crew does the rest, and everything is added
// up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "campaign/journal.h"
#include "campaign/plan.h"
#include "campaign/tally.h"
#include "campaign/work.h"

namespace quench::campaign {

/// The pieces of a plan as work for a crew.
class PlannedWork : public Work {
 public:
  explicit PlannedWork(Campaign campaign) : plan_(std::move(campaign)) {}
  const Plan& plan() const { return plan_; }
  std::string name() const override { return plan_.campaign().name; }
  std::string document() const override { return to_json(plan_.campaign()); }
  std::uint64_t pieces() const override { return plan_.pieces(); }
  nlohmann::json run(std::uint64_t piece) const override { return plan_.run(piece).json(); }

 private:
  Plan plan_;
};

struct SessionOptions {
  std::string journal;  ///< none if empty
  bool retry = false;   ///< go on with a journal that is there
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  std::function<bool()> stopped;  ///< asked between pieces
};

struct SessionOutcome {
  std::uint64_t resumed = 0;  ///< pieces taken from the journal
  bool complete = false;
};

/// Any work with any crew; `take` gets every piece once, those of the journal first.
SessionOutcome run_session(const Work& work, Crew& crew, const SessionOptions& options,
                           const std::function<void(std::uint64_t piece, const nlohmann::json& result)>& take);

}  // namespace quench::campaign
