#include "mpi/rule_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "campaign/recipe_text.h"
#include "cli/arguments/number_formats.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/random_words.h"
#include "verify/verify.h"
#include "verify/words/workload.h"

namespace quench::mpi {

using campaign::Task;

void RuleArguments::add_to(cli::App& command) {
  source_.add_to(command, "SOURCE", "[SOURCE]");  // a model and its rule, so that they are told apart
  command.set_usage("(--campaign NAME|FILE | SOURCE | -e TEXT | --regex R)");
  add_recipes(command);
  own_.push_back(command.add_option("--dtype", formats_, "Of SOURCE: these number formats; f64 if none is given")
                     ->type_name("F,...")
                     ->delimiter(','));
  own_.push_back(command.add_option("--seed", seed_, "Of SOURCE: of its words")
                     ->check(cli::any_whole_number())
                     ->capture_default_str());
  refuse(command.add_option("--threads", no_text_)->group(""), "ranks have a thread each; ask mpirun for more of them");
  if (task_ == Task::find_failure) {
    own_.push_back(command.add_option("--shortest", shortest_, "Of SOURCE: the least length tried")
                       ->type_name("N")
                       ->check(cli::whole_number(1, 10'000'000))
                       ->capture_default_str());
    own_.push_back(command.add_option("--longest", longest_, "Of SOURCE: the greatest length tried")
                       ->type_name("N")
                       ->check(cli::whole_number(1, 10'000'000))
                       ->capture_default_str());
  }
  if (task_ != Task::verify) return;
  own_.push_back(command.add_option("--engine", engine_, "Of SOURCE: by this engine")
                     ->check(cli::one_of({"auto", "reference", "dense", "structured"})));
  own_.push_back(command.add_option("--exhaustive", exhaustive_, "Of SOURCE: all words up to this length")
                     ->type_name("L")
                     ->check(cli::whole_number(0, 64)));
  own_.push_back(command.add_option("--random", random_, "Of SOURCE: random words up to a length, such as 1000x200")
                     ->type_name("COUNTxLENGTH"));
  own_.push_back(
      command.add_flag("--strict", strict_, "Of SOURCE: only words of symbols that the model or the rule mentions"));
  own_.push_back(command.add_option("--parts", parts_, "Of SOURCE: pieces that its words are cut into")
                     ->check(cli::whole_number(1, 1'000'000))
                     ->capture_default_str());
  refuse(command.add_option("--weighting", no_text_)->group(""),
         "ranks try what certificates promise, which is nothing of hard attention; `quench verify --weighting hard`");
  refuse(command.add_flag("--prove", no_flag_, "")->group(""), "a proof is one piece of work; `quench verify --prove`");
  refuse(command.add_flag("--gap", no_flag_, "")->group(""), "gaps are measured on few words; `quench verify --gap`");
  refuse(command.add_flag("--find-failure", no_flag_, "")->group(""),
         "that is a command here, `quench-mpi find-failure`");
}

void RuleArguments::add_recipes(cli::App& command) {
  own_.push_back(
      command.add_option("--recipe", recipes_, "Of SOURCE: these recipes, such as 'tight,exact --digits'; none: all")
          ->type_name("NAME,...")
          ->delimiter(','));
  own_.push_back(command.add_flag("--decoder", decoder_, "Of the recipes: future-masked attention only"));
  own_.push_back(command.add_flag("--digits", digits_, "Of the recipes: positions or counts as digits"));
  own_.push_back(command.add_flag("--unshared", unshared_, "Of the recipes: a coordinate of its own for every value"));
  own_.push_back(command.add_option("--gamma", gamma_, "Of the recipes: sharpness")->type_name("G"));
  own_.push_back(command.add_option("--sharpen", sharpen_, "Of the recipes: by temperature or by position")
                     ->type_name("WAY")
                     ->check(cli::one_of({"temperature", "position"})));
  own_.push_back(
      command.add_option("--length", length_, "Of exact and scan: the longest word they serve (default: 1048576)")
          ->type_name("N"));
}

void RuleArguments::check(bool campaign_given) const {
  for (const auto& [option, why] : refused_)
    if (option->count() > 0) throw UserError(why);
  if (!campaign_given) return;
  if (source_.given_more()) throw UserError("--campaign says which rules are tried; leave out the other");
  if (std::ranges::any_of(own_, [](const cli::Option* option) { return option->count() > 0; }))
    throw UserError("--campaign says what is tried and how; options of a rule have no place next to it");
}

/// As they are written behind a recipe's name.
std::string RuleArguments::recipe_options() const {
  std::string text;
  if (decoder_) text += " --decoder";
  if (digits_) text += " --digits";
  if (unshared_) text += " --unshared";
  if (!gamma_.empty()) text += " --gamma " + gamma_;
  if (!sharpen_.empty()) text += " --sharpen " + sharpen_;
  if (!length_.empty()) text += " --length " + length_;
  return text;
}

/// Those that are named, or all that take the options.
std::vector<std::string> RuleArguments::recipes(const lang::Rule& rule) const {
  const std::string options = recipe_options();
  if (options.empty()) return recipes_;
  std::vector<std::string> result;
  for (const std::string& name : recipes_) result.push_back(name + options);
  if (!recipes_.empty()) return result;
  std::string why;
  for (const std::string& name : campaign::all_recipes(rule)) {
    if (name.find(' ') != std::string::npos) continue;
    const std::string found = campaign::objection(name + options, rule);
    if (found.empty())
      result.push_back(name + options);
    else
      why = found;
  }
  if (result.empty()) throw UserError(fmt::format("no recipe of such a rule takes{}: {}", options, why));
  return result;
}

campaign::Trial RuleArguments::trial(const lang::Rule& rule) const {
  campaign::Trial trial;
  trial.engines = {*run::engine_from(engine_)};
  for (const std::string& name : formats_)
    if (const auto format = number_format_from(name))
      trial.formats.push_back(*format);
    else
      throw UserError("--dtype: there is no number format '" + name + "'");
  if (trial.formats.empty()) trial.formats = {NumberFormat::f64};
  if (task_ == Task::find_failure) {
    trial.shortest = shortest_;
    trial.length = std::max(shortest_, longest_);
  }
  if (task_ != Task::verify) return trial;
  trial.strict = strict_;
  const std::size_t mentioned = lang::alphabet(rule).size();
  const std::size_t symbols = strict_ && mentioned > 0 ? mentioned : mentioned + !lang::closed(rule);
  const bool usual = exhaustive_ < 0 && random_.empty();
  trial.exhaustive = verify::count_words(symbols, usual ? verify::usual_exhaustive(symbols) : std::max(exhaustive_, 0));
  if (trial.exhaustive > 1'000'000'000)
    throw UserError("that many words cannot be enumerated; choose a smaller --exhaustive length");
  if (usual || !random_.empty()) {
    const cli::RandomWords words = cli::parse_random_words(usual ? "200x200" : random_);
    trial.random = words.count;
    trial.length = words.length;
  }
  if (trial.exhaustive + trial.random == 0)
    throw UserError("no words to try; give --exhaustive or --random, or neither");
  return trial;
}

campaign::Campaign RuleArguments::campaign() {
  if (source_.take_model())
    throw UserError(
        "ranks make their networks from rules, and here is a compiled model; give the rule it came from, or hold the "
        "model to it by `quench verify`");
  const automata::Limits limits = source_.limits();
  if (std::ranges::any_of(automata::kNamedLimits,
                          [&](const auto& one) { return limits.*one.value != automata::Limits{}.*one.value; }))
    throw UserError("--limit is not known to other ranks; `quench verify` has it, on the threads of one machine");
  const cli::Source source = source_.take_source();
  if (source_.given_more()) throw UserError("one SOURCE is enough; more of them are a campaign (--campaign FILE)");
  const lang::Rule rule = source.rule();
  campaign::Campaign campaign;
  campaign.name = source.name;
  campaign.task = task_;
  campaign.seed = seed_;
  campaign.parts = task_ == Task::verify ? parts_ : 1;
  campaign.made_for = lower::kExactLength;
  campaign.rules = {{source.kind ? "rule." + std::string(quench::name_of(*source.kind)) : source.name, source.text}};
  campaign.recipes = recipes(rule);
  campaign.trials = {trial(rule)};
  return campaign::campaign_from_json(campaign::to_json(campaign));  // under the limits of files
}

}  // namespace quench::mpi
