// quench bench: how fast a model runs, each figure beside its peers from the same run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/number/random.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/run_options.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/commands/measure/bench_zoo.h"
#include "cli/output/answers.h"
#include "cli/output/version.h"
#include "run/executor.h"

namespace quench::cli {
namespace {

constexpr std::uint64_t kLongestBenchWord = 1 << 24, kMostBenchSymbols = 1 << 28;

struct BenchCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::vector<std::size_t> lengths = {10'000, 100'000, 1'000'000};
  std::size_t batch = 0, batch_length = 1000;
  std::size_t dense_length = 4096, reference_length = 1024;
  std::size_t repetitions = 9;
  bool threads = false, json = false;
};

/// One thing to time; `nanoseconds` has one entry per repetition.
struct Case {
  std::string engine;
  std::size_t n = 0;
  std::function<void()> once;
  std::vector<double> wall, cpu;  // nanoseconds per token
};

double seconds(clockid_t clock) {
  std::timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Round by round, every case once: a busy moment of the machine hits all of them alike. The first round warms up.
void measure(std::vector<Case>& cases, std::size_t repetitions) {
  for (std::size_t round = 0; round <= repetitions; ++round)
    for (Case& one : cases) {
      const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
      one.once();
      const double per = 1e9 / static_cast<double>(one.n);
      if (round == 0) continue;
      one.wall.push_back((seconds(CLOCK_MONOTONIC) - wall) * per);
      one.cpu.push_back((seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * per);
    }
}

/// Everything a case needs while it runs.
struct Stand {
  run::Executor executor;
  run::Executor::Workspace workspace;
  Word word;
  std::vector<double> outputs;
};

Case make_case(const model::Transformer& model, const run::Options& options, run::Engine engine, const char* name,
               std::size_t n, bool threads) {
  Random random(n);
  auto stand = std::make_shared<Stand>(Stand{run::Executor(model, options, engine, threads), {}, {}, {}});
  stand->word = random_word(random, model.alphabet.size(), true, n);
  return {name, n, [stand] { stand->executor.outputs(stand->word, stand->workspace, stand->outputs); }, {}, {}};
}

/// Many words of one length at once; n counts the tokens of all of them.
Case make_batch_case(const model::Transformer& model, const run::Options& options, std::size_t words, std::size_t n,
                     bool threads) {
  Random random(n);
  auto stand =
      std::make_shared<Stand>(Stand{run::Executor(model, options, run::Engine::structured, threads), {}, {}, {}});
  auto batch =
      std::make_shared<run::Batch>(run::Batch{n, words, random_word(random, model.alphabet.size(), true, n * words)});
  return {"batch",
          n * words,
          [stand, batch] { stand->executor.planes()->outputs(*batch, stand->workspace.planes, stand->outputs); },
          {},
          {}};
}

nlohmann::ordered_json as_json(const std::vector<Case>& cases, const BenchCommand& command, bool threads) {
  nlohmann::ordered_json json;
  json["version"] = version();
  json["threads"] = threads ? std::thread::hardware_concurrency() : 1;
  json["repetitions"] = command.repetitions;
  json["cases"] = nlohmann::ordered_json::array();
  for (const Case& one : cases)
    json["cases"].push_back({{"engine", one.engine},
                             {"n", one.n},
                             {"ns_per_token", median(one.wall)},
                             {"cpu_ns_per_token", median(one.cpu)}});
  return json;
}

std::string as_text(const std::vector<Case>& cases) {
  std::string text = fmt::format("{:<12}{:>10}{:>16}{:>16}{:>14}\n", "engine", "n", "ns/token", "cpu ns/token", "ms");
  for (const Case& one : cases)
    text += fmt::format("{:<12}{:>10}{:>16.1f}{:>16.1f}{:>14.2f}\n", one.engine, one.n, median(one.wall),
                        median(one.cpu), median(one.wall) * static_cast<double>(one.n) * 1e-6);
  return text;
}

void run(BenchCommand& command) {
  const LoadedModel loaded = take_model(command.source, command.compile);
  if (command.batch * command.batch_length > kMostBenchSymbols)
    throw UserError(fmt::format("{} words of length {} are too many at once; at most {} symbols", command.batch,
                                command.batch_length, kMostBenchSymbols));
  const run::Options options = command.run.options();
  std::vector<Case> cases;
  for (const std::size_t n : command.lengths)
    cases.push_back(make_case(loaded.model, options, run::Engine::structured, "structured", n, command.threads));
  if (command.batch > 0)
    cases.push_back(make_batch_case(loaded.model, options, command.batch, command.batch_length, command.threads));
  if (command.dense_length > 0)
    for (const auto& [engine, name] : {std::pair(run::Engine::structured, "structured"), {run::Engine::dense, "dense"}})
      cases.push_back(make_case(loaded.model, options, engine, name, command.dense_length, command.threads));
  if (command.reference_length > 0)
    cases.push_back(
        make_case(loaded.model, options, run::Engine::reference, "reference", command.reference_length, false));
  measure(cases, command.repetitions);
  print(command.json ? as_json(cases, command, command.threads).dump() + "\n" : as_text(cases));
}

}  // namespace

void add_bench(App& program) {
  App* app = program.add_subcommand("bench", "Time a model on random words, engine by engine");
  auto command = std::make_shared<BenchCommand>();
  command->source.add_to(*app, "MODEL", "");
  command->compile.add_to(*app, LengthOption::its_own);
  command->run.add_to(*app);
  app->add_option("--length", command->lengths, "Word lengths for the structured engine, such as 1000,2000")
      ->type_name("N")
      ->check(whole_number(1, kLongestBenchWord))
      ->delimiter(',')
      ->allow_extra_args(false);
  const auto number = [&](const char* name, std::size_t& value, const char* help, std::uint64_t low,
                          std::uint64_t high) {
    return app->add_option(name, value, help)->type_name("N")->check(whole_number(low, high));
  };
  number("--batch", command->batch, "So many words at once, too", 0, 1 << 20);
  number("--batch-length", command->batch_length, "Length of these words", 1, kLongestBenchWord)->capture_default_str();
  number("--dense-length", command->dense_length, "Word length at which dense and structured meet; 0: none", 0,
         1 << 20);
  number("--reference-length", command->reference_length, "Word length of the reference engine; 0: none", 0, 1 << 20);
  number("--repetitions", command->repetitions, "Medians of so many interleaved runs", 1, 10'000)
      ->capture_default_str();
  app->add_flag("--threads", command->threads, "Use all cores");
  app->add_flag("--json", command->json, "One JSON object");
  app->describe_json(
      "`{\"version\",\"threads\",\"repetitions\",\"cases\":[{\"engine\",\"n\",\"ns_per_token\",\"cpu_ns_per_token\"}…]}`, medians.");
  add_bench_attention(*app);
  add_bench_zoo(*app);
  app->callback([command, app] {
    if (!app->subcommand_called()) run(*command);
  });
}

}  // namespace quench::cli
