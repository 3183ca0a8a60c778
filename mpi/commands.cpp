#include "mpi/commands.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "campaign/session.h"
#include "cli/arguments/numbers.h"
#include "cli/commands/prove/campaign.h"
#include "cli/output/output.h"
#include "lab/session.h"
#include "mpi/crew.h"
#include "mpi/lab_work.h"
#include "mpi/rule_arguments.h"

namespace quench::mpi {
namespace {

using campaign::Task;

/// Either --campaign, or a rule with what a campaign would say of it.
struct CampaignCommand {
  explicit CampaignCommand(Task of) : task(of), rule(of) {}
  Task task;
  RuleArguments rule;
  cli::CampaignArguments campaign;
  bool json = false, spare_first = false;
};

void run(CampaignCommand& command, RankCrew& crew) {
  const bool named = !command.campaign.campaign.empty();
  command.rule.check(named);
  const campaign::Campaign campaign =
      named ? campaign::load_campaign(command.campaign.campaign) : command.rule.campaign();
  if (campaign.task != command.task)
    throw UserError(fmt::format("the task of this campaign is {}", quench::name_of(campaign.task)));
  if (command.spare_first) crew.spare_first();
  cli::run_campaign(campaign, command.campaign, crew, command.json);
}

void add_campaign_command(cli::App& program, RankCrew& crew, const std::string& name, const std::string& help,
                          Task task) {
  cli::App* app = program.add_subcommand(name, help);
  auto command = std::make_shared<CampaignCommand>(task);
  command->campaign.add_to(*app);
  command->rule.add_to(*app);
  app->add_flag("--spare-first", command->spare_first, "Rank 0 only gives out pieces");
  app->add_flag("--json", command->json, "Report as one JSON object");
  app->callback([command, &crew] { run(*command, crew); });
}

struct LabCommand {
  std::vector<std::string> names;
  std::string out = "lab-results";
  lab::Settings settings;
  cli::CampaignArguments campaign;
  bool force = false;
};

void run(LabCommand& command, RankCrew& crew) {
  const LabWork work(command.names, command.out, command.settings, command.force);
  lab::prepare_directory(command.out);
  std::map<std::uint64_t, nlohmann::json> findings;
  campaign::run_session(work, crew, {command.campaign.journal, command.campaign.retry, {}, {}},
                        [&](std::uint64_t piece, const nlohmann::json& result) { findings[piece] = result; });
  for (const auto& [piece, lines] : findings) {
    cli::print(work.experiment(piece).name + "\n");
    for (const nlohmann::json& line : lines) cli::print("  " + line.get<std::string>() + "\n");
  }
  lab::write_index(command.out);
}

}  // namespace

void add_commands(cli::App& program, RankCrew& crew) {
  add_campaign_command(program, crew, "verify", "Networks against their rules on words", Task::verify);
  add_campaign_command(program, crew, "certify-campaign", "Certificates, and the checker's opinion of each",
                       Task::certify);
  add_campaign_command(program, crew, "find-failure",
                       "The first failures of number formats, which are beyond what is certified", Task::find_failure);
  cli::App* app = program.add_subcommand("lab", "Experiments, one to a rank, into a directory that all ranks see");
  auto command = std::make_shared<LabCommand>();
  app->set_usage("NAME...");
  app->add_words("NAME", command->names)->group("")->required();
  app->add_option("--out", command->out, "Write the results here")->type_name("DIR")->capture_default_str();
  app->add_flag("--quick", command->settings.quick, "Smaller grids");
  app->add_option("--seed", command->settings.seed, "Another seed, other words and scores; same seed, same results")
      ->type_name("N")
      ->check(cli::any_whole_number())
      ->capture_default_str();
  app->add_option("--automata", command->settings.automata,
                  "Of regular-atlas: measure the automata of this folder instead, which all ranks see")
      ->type_name("DIR");
  app->add_flag("--force", command->force, "Measure again even if finished results are there");
  command->campaign.add_to(*app, false);
  app->callback([command, &crew] { run(*command, crew); });
}

std::unique_ptr<campaign::Work> work_from(const std::string& document) {
  const nlohmann::json json = nlohmann::json::parse(document);
  if (json.contains("lab")) return LabWork::from(json);
  return std::make_unique<campaign::PlannedWork>(campaign::campaign_from_json(document));
}

}  // namespace quench::mpi
