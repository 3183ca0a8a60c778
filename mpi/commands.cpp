#include "mpi/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "campaign/session.h"
#include "cli/arguments/number_formats.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/commands/prove/campaign.h"
#include "cli/output/output.h"
#include "lab/session.h"
#include "lower/recipe.h"
#include "mpi/crew.h"
#include "mpi/lab_work.h"
#include "verify/verify.h"

namespace quench::mpi {
namespace {

using campaign::Task;

/// Either --campaign, or a rule with what a campaign would say of it.
struct CampaignCommand {
  Task task;
  cli::SourceArguments source;
  cli::CampaignArguments campaign;
  std::vector<std::string> recipes, formats;
  std::string engine = "auto", random;
  std::size_t exhaustive = 0, length = 2048, parts = 64, seed = 1;
  bool json = false, spare_first = false;
};

/// The rule of the command line as a campaign.
campaign::Campaign campaign_of(CampaignCommand& command) {
  const cli::Source source = command.source.take_source();
  campaign::Campaign campaign;
  campaign.name = source.name;
  campaign.task = command.task;
  campaign.seed = command.seed;
  campaign.parts = command.task == Task::verify ? command.parts : 1;
  campaign.rules = {{source.kind ? "rule." + std::string(quench::name_of(*source.kind)) : source.name, source.text}};
  campaign.recipes = command.recipes;
  campaign::Trial trial;
  trial.engines = {*run::engine_from(command.engine)};
  for (const std::string& name : command.formats)
    if (const auto format = number_format_from(name))
      trial.formats.push_back(*format);
    else
      throw UserError("--dtype: there is no number format '" + name + "'");
  if (trial.formats.empty()) trial.formats = {NumberFormat::f64};
  trial.length = command.length;
  const lang::Rule rule = source.rule();
  trial.exhaustive =
      verify::count_words(lang::alphabet(rule).size() + !lang::closed(rule), static_cast<int>(command.exhaustive));
  if (!command.random.empty()) {
    const std::size_t cross = std::min(command.random.find('x'), command.random.size());
    const auto count = cli::read_whole(command.random.substr(0, cross));
    const auto length =
        cross < command.random.size() ? cli::read_whole(command.random.substr(cross + 1)) : std::nullopt;
    if (!count || !length || *length < 1) throw UserError("--random is COUNTxLENGTH, such as 1000x200");
    trial.random = *count;
    trial.length = *length;
  }
  campaign.trials = {trial};
  return campaign::campaign_from_json(campaign::to_json(campaign));  // under the limits of files
}

void run(CampaignCommand& command, RankCrew& crew) {
  if (command.spare_first) crew.spare_first();
  campaign::Campaign campaign =
      command.campaign.campaign.empty() ? campaign_of(command) : campaign::load_campaign(command.campaign.campaign);
  if (campaign.task != command.task)
    throw UserError(fmt::format("the task of this campaign is {}", quench::name_of(campaign.task)));
  cli::run_campaign(campaign, command.campaign, crew, command.json);
}

void add_campaign_command(cli::App& program, RankCrew& crew, const std::string& name, const std::string& help,
                          Task task) {
  cli::App* app = program.add_subcommand(name, help);
  auto command = std::make_shared<CampaignCommand>();
  command->task = task;
  command->source.add_to(*app, "[SOURCE]", "");
  command->campaign.add_to(*app);
  app->add_option("--recipe", command->recipes, "Of SOURCE: these recipes; none: all")
      ->type_name("NAME,...")
      ->delimiter(',');
  app->add_option("--dtype", command->formats, "Of SOURCE: these number formats; f64 if none is given")
      ->type_name("F,...")
      ->delimiter(',');
  if (task == Task::verify) {
    app->add_option("--engine", command->engine, "Of SOURCE: by this engine")
        ->check(cli::one_of({"auto", "reference", "dense", "structured"}));
    app->add_option("--exhaustive", command->exhaustive, "Of SOURCE: all words up to this length")
        ->type_name("L")
        ->check(cli::whole_number(0, 64));
    app->add_option("--random", command->random, "Of SOURCE: random words up to a length")->type_name("COUNTxLENGTH");
    app->add_option("--parts", command->parts, "Of SOURCE: pieces that its words are cut into")
        ->check(cli::whole_number(1, 1'000'000))
        ->capture_default_str();
  }
  if (task == Task::find_failure)
    app->add_option("--longest", command->length, "Of SOURCE: the greatest length tried")
        ->type_name("N")
        ->check(cli::whole_number(1, 1 << 20))
        ->capture_default_str();
  app->add_option("--seed", command->seed, "Of SOURCE: of its words")
      ->check(cli::any_whole_number())
      ->capture_default_str();
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
  add_campaign_command(program, crew, "certify-campaign", "Certificates, and the checker's opinion of each", Task::certify);
  add_campaign_command(program, crew, "find-failure",
                       "The first failures of number formats, which are beyond what is certified", Task::find_failure);
  cli::App* app = program.add_subcommand("lab", "Experiments, one to a rank, into a directory that all ranks see");
  auto command = std::make_shared<LabCommand>();
  app->set_usage("NAME...");
  app->add_words("NAME", command->names)->group("")->required();
  app->add_option("--out", command->out, "Write the results here")->type_name("DIR")->capture_default_str();
  app->add_flag("--quick", command->settings.quick, "Smaller grids");
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
