// quench verify: a model against its rule, on all short words and on random long ones.
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "command.h"
#include "driver/compile.h"
#include "model/file.h"
#include "progress.h"
#include "run_options.h"
#include "source.h"
#include "verify/verify.h"

namespace quench::cli {
namespace {

struct VerifyCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  int exhaustive = -1;
  std::string random;
  std::uint64_t seed = 1;
  int threads = 0;
  bool json = false;
};

/// "COUNTxLENGTH"
void parse_random(const std::string& text, verify::Options& options) {
  const std::size_t cross = text.find('x');
  const auto number = [&](std::size_t from, std::size_t to, std::size_t& value) {
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
    return error == std::errc() && end == text.data() + to && value > 0;
  };
  if (cross == std::string::npos || !number(0, cross, options.random_count) ||
      !number(cross + 1, text.size(), options.random_length))
    throw UserError("--random takes COUNTxLENGTH, such as 1000x200; not '" + text + "'");
}

/// The longest length whose words, with all shorter ones, are at most 100,000.
int default_exhaustive(std::size_t symbols) {
  int length = 1;
  while (length < 16 && verify::count_words(symbols, length + 1) <= 100'000) ++length;
  return length;
}

/// A Boolean as a number, anything else as text.
nlohmann::ordered_json answer_value(const std::string& text) {
  if (text == "0" || text == "1") return text == "1" ? 1 : 0;
  return text;
}

std::string report_json(const verify::Report& report) {
  nlohmann::ordered_json json;
  json["words"] = report.words;
  json["positions"] = report.positions;
  json["differences"] = report.differences;
  json["counterexample"] = nullptr;
  if (const auto& found = report.counterexample)
    json["counterexample"] = {{"word", found->word},
                              {"position", found->position},
                              {"expected", answer_value(found->expected)},
                              {"got", answer_value(found->got)}};
  return json.dump() + "\n";
}

std::string report_text(const verify::Report& report, int exhaustive) {
  std::string text = fmt::format("{} words (all up to length {}), {} positions, {} differences\n", report.words,
                                 exhaustive, report.positions, report.differences);
  if (const auto& found = report.counterexample)
    text += fmt::format("counterexample: '{}' at position {}: the rule says {}, the model {}\n", found->word,
                        found->position, found->expected, found->got);
  return text;
}

void run(VerifyCommand& command) {
  const LoadedModel loaded = take_model(command.source, command.compile);
  const lang::Rule rule =
      loaded.source && !command.source.given_more() ? loaded.source->rule() : command.source.take_source().rule();
  if (!command.source.take_rest().empty()) throw UserError("verify takes a model and a rule, nothing more");
  verify::Options options;
  const bool nothing_asked = command.exhaustive < 0 && command.random.empty();
  options.exhaustive = nothing_asked ? default_exhaustive(verify::symbol_count(loaded.model, rule))
                                     : std::max(command.exhaustive, 0);
  if (!command.random.empty() || nothing_asked)
    parse_random(command.random.empty() ? "200x200" : command.random, options);
  options.seed = command.seed;
  options.threads = command.threads;
  options.run = command.run.options();
  verify::Report report;
  {
    Progress progress("verifying");
    options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
    report = verify::verify(loaded.model, rule, options);
  }
  print(command.json ? report_json(report) : report_text(report, options.exhaustive));
  if (report.differences > 0) throw NegativeFinding();
}

}  // namespace

void add_verify(CLI::App& program) {
  CLI::App* app = program.add_subcommand("verify", "Compare a model with its rule at every position of many words");
  auto command = std::make_shared<VerifyCommand>();
  command->source.add_to(*app, "MODEL", "[SOURCE]");
  command->compile.add_to(*app);
  command->run.add_to(*app);
  app->add_option("--exhaustive", command->exhaustive, "All words up to this length")
      ->type_name("L")
      ->check(CLI::Range(0, 64));
  app->add_option("--random", command->random, "Random words up to a length, such as 1000x200")
      ->type_name("COUNTxLENGTH");
  app->add_option("--seed", command->seed, "Of the random words")->type_name("N")->capture_default_str();
  app->add_option("--threads", command->threads, "0: all cores")->type_name("T")->check(CLI::Range(0, 1024));
  app->add_flag("--json", command->json, "Report as one JSON object");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
