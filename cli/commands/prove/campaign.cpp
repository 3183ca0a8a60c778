#include "cli/commands/prove/campaign.h"

#include <fmt/format.h>

#include <chrono>

#include "base/error.h"
#include "campaign/library.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"

namespace quench::cli {

void CampaignArguments::add_to(App& command, bool named) {
  std::vector<std::string> ours;
  for (const campaign::NamedText& one : campaign::campaigns()) ours.emplace_back(one.name);
  if (named)
    command
        .add_option("--campaign", campaign, "Everything that a campaign says, by its name or file (docs/cluster.md)")
        ->type_name("NAME|FILE")
        ->offer(std::move(ours));
  command.add_option("--journal", journal, "Of a campaign: note every piece that is done here")->type_name("FILE");
  command.add_flag("--retry", retry, "Go on where the journal ends");
}

void run_campaign(const campaign::Campaign& campaign, const CampaignArguments& arguments, campaign::Crew& crew,
                  bool json) {
  if (arguments.retry && arguments.journal.empty())
    throw UserError("--retry goes on with a journal; name it by --journal");
  const campaign::PlannedWork work(campaign);
  campaign::Tally tally;
  campaign::SessionOutcome outcome;
  const InterruptNote interrupt;
  const auto start = std::chrono::steady_clock::now();
  {
    Progress progress(campaign.name);
    campaign::SessionOptions options;
    options.journal = arguments.journal;
    options.retry = arguments.retry;
    options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
    options.stopped = [&] { return interrupt.signal() != 0; };
    outcome = campaign::run_session(work, crew, options, [&](std::uint64_t, const nlohmann::json& result) {
      tally.add(campaign::Tally::from_json(result));
    });
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  say(fmt::format("{} of {} pieces, {} of them from the journal; {:.1f} s\n", tally.pieces, work.pieces(),
                  outcome.resumed, seconds.count()));
  if (!outcome.complete) throw Interrupted{interrupt.signal()};
  print(json ? campaign::report_json(campaign, work.pieces(), tally)
             : campaign::report_text(campaign, work.pieces(), tally));
  if (tally.differences() > 0 || tally.errors > 0) throw NegativeFinding();
}

}  // namespace quench::cli
