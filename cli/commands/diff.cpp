// quench diff: the smallest word on which two rules differ.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "verify/diff.h"

namespace quench::cli {
namespace {

struct DiffCommand {
  std::vector<std::string> texts, files;
  std::size_t length = 0;
  bool everywhere = false, json = false;
};

void run(DiffCommand& command) {
  std::vector<Source> sources;
  for (const std::string& file : command.files) sources.push_back({file, read_rule(file)});
  for (const std::string& text : command.texts) sources.push_back({"-e", text});
  if (sources.size() != 2) throw UserError("diff compares two rules: name two files, or write them after -e");
  const lang::Rule first = sources[0].rule(), second = sources[1].rule();
  if (command.length == 0) command.length = verify::default_diff_length(first, second);
  const verify::DiffReport report = verify::diff(first, second, command.length, command.everywhere);
  if (command.json) {
    nlohmann::ordered_json json{{"words", report.words}, {"length", report.length}, {"difference", nullptr}};
    if (const auto& found = report.difference)
      json["difference"] = {{"word", found->word}, {"first", found->first}, {"second", found->second}};
    print(json.dump() + "\n");
  } else if (const auto& found = report.difference) {
    print(fmt::format("they differ on '{}': {} and {}\n", found->word, found->first, found->second));
  } else {
    print(fmt::format("no difference on the {} words up to length {}\n", report.words, report.length));
  }
  if (report.difference) throw NegativeFinding{};
}

}  // namespace

void add_diff(App& program) {
  App* app = program.add_subcommand("diff", "Find the smallest word on which two rules differ");
  auto command = std::make_shared<DiffCommand>();
  app->add_words("SOURCE", command->files, "Files with rules (.tl, .brasp, .srasp)");
  app->add_option("-e", command->texts, "A rule as text, instead of a file; repeatable")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  app->add_option("--length", command->length, "Try all words up to this length (default: about a second's worth)")
      ->type_name("L")
      ->check(whole_number(1, 4096));
  app->add_flag("--everywhere", command->everywhere, "Compare the truth at every position, not only at the last");
  app->add_flag("--json", command->json, "One JSON object");
  app->describe_json(
      "`{\"words\",\"length\",\"difference\":null|{\"word\",\"first\",\"second\"}}`, the last two what each rule answers, as text.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
