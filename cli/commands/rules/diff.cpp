// quench diff: the smallest word on which two rules differ, or for regular rules a proof that there is none.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/compare_rules.h"
#include "base/error.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"

namespace quench::cli {
namespace {

struct DiffCommand {
  std::vector<std::string> texts, regexes, files;
  const Option *text_option = nullptr, *regex_option = nullptr, *file_option = nullptr;
  LimitArguments limits;
  LintArgument lint;
  std::size_t length = 0;
  bool everywhere = false, json = false;
};

/// The two rules, in the order in which they were typed.
std::vector<Source> sources_of(const DiffCommand& command) {
  std::map<std::size_t, Source> by_place;
  const automata::Limits limits = command.limits.limits();
  const bool linted = command.lint.wanted();
  const auto take = [&](const Option* option, const std::vector<std::string>& values, const auto& source) {
    const std::vector<std::size_t> places = option->places();
    for (std::size_t k = 0; k < values.size(); ++k) by_place.emplace(places[k], source(values[k]));
  };
  take(command.file_option, command.files, [&](const auto& file) {
    return Source{file, read_rule(file), {}, limits, linted};
  });
  take(command.text_option, command.texts, [&](const auto& text) { return Source{"-e", text, {}, limits, linted}; });
  take(command.regex_option, command.regexes, [&](const auto& text) {
    return Source{"--regex", text, lang::AutomatonText::regex, limits, linted};
  });
  if (by_place.size() != 2)
    throw UserError("diff compares two rules: name two files, or write them after -e or --regex");
  std::vector<Source> sources;
  for (auto& [place, source] : by_place) sources.push_back(std::move(source));
  return sources;
}

std::string finding_json(const api::RuleComparison& finding) {
  const verify::DiffReport& report = finding.report;
  nlohmann::ordered_json json{
      {"words", report.words}, {"length", report.length}, {"difference", nullptr}, {"proved", finding.proved}};
  if (finding.proved) json["words"] = json["length"] = nullptr;
  if (const auto& found = report.difference)
    json["difference"] = {{"word", found->word}, {"first", found->first}, {"second", found->second}};
  return json.dump() + "\n";
}

std::string finding_text(const api::RuleComparison& finding) {
  const verify::DiffReport& report = finding.report;
  if (const auto& found = report.difference)
    return fmt::format("they differ on '{}': {} and {}\n", found->word, found->first, found->second);
  if (finding.proved) return "no difference on any word, by proof\n";
  return fmt::format("no difference on the {} words up to length {}\n{}", report.words, report.length,
                     finding.why_not.empty() ? "" : fmt::format("longer words are not decided: {}\n", finding.why_not));
}

void run(DiffCommand& command) {
  const std::vector<Source> sources = sources_of(command);
  const lang::Rule first = sources[0].rule(), second = sources[1].rule();
  const api::RuleComparison finding =
      api::compare_rules(first, second, command.length > 0 ? std::optional(command.length) : std::nullopt,
                         command.everywhere, command.limits.limits());
  print(command.json ? finding_json(finding) : finding_text(finding));
  if (finding.report.difference) throw NegativeFinding{};
}

}  // namespace

void add_diff(App& program) {
  App* app = program.add_subcommand("diff", "Find the smallest word on which two rules differ");
  auto command = std::make_shared<DiffCommand>();
  command->file_option =
      app->add_words("SOURCE", command->files, "Files with rules (.tl, .brasp, .srasp, .regex, .dfa, .att, .hoa)");
  command->text_option = app->add_option("-e", command->texts, "A rule as text, instead of a file; repeatable")
                             ->type_name("TEXT")
                             ->allow_extra_args(false);
  command->regex_option =
      app->add_option("--regex", command->regexes, "A regular expression, instead of a file; repeatable")
          ->type_name("R")
          ->allow_extra_args(false);
  command->limits.add_to(*app);
  command->lint.add_to(*app);
  app->add_option("--length", command->length,
                  "Try all words up to this length (default: decide for all words, or about a second's worth)")
      ->type_name("L")
      ->check(whole_number(1, 4096));
  app->add_flag("--everywhere", command->everywhere, "Compare the truth at every position, not only at the last");
  app->add_flag("--json", command->json, "One JSON object");
  app->describe_json(
      "`{\"words\",\"length\",\"difference\":null|{\"word\",\"first\",\"second\"},\"proved\"}`, `first` and `second` "
      "what the rules "
      "answer, as text. If `proved`, all words of all lengths are decided, and `words` and `length` are null.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
