// quench train: does a network learn the rule, and does what it learnt hold for longer words?
#include "train/trainer.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/error.h"
#include "base/text/diagnostic.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/interrupt.h"
#include "cli/output/progress.h"
#include "driver/compile.h"
#include "lang/print/print_rule.h"
#include "model/file.h"
#include "model/file/strict_json.h"
#include "train/accuracy.h"
#include "train/checkpoint.h"

namespace quench::cli {
namespace {

constexpr std::uint64_t kTestStream = 0x74657374;
constexpr std::size_t kCheckpointEvery = 500;
constexpr std::uint64_t kMostSteps = 1'000'000'000;

struct TrainCommand {
  SourceArguments source;
  train::Options options;
  std::string output, checkpoint, anneal, positions;
  std::size_t stop = 0;
  std::size_t test_words = 500;
  int threads = 0;
  bool resume = false, last_only = false, no_test = false, json = false;
};

/// A row of the table: both models on words of one length.
struct TestRow {
  std::size_t factor, length;
  train::Accuracy learnt;
  std::optional<train::Accuracy> compiled;
};

struct Training {
  train::Progress last;
  double seconds = 0;
  std::vector<TestRow> rows;
};

/// "FROM:TO"
void parse_anneal(const std::string& text, train::Options& options) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto from = read_real(text.substr(0, colon));
  const auto to = colon < text.size() ? read_real(text.substr(colon + 1)) : std::nullopt;
  if (!from || !to)
    throw UserError(fmt::format("--anneal: {} are not two temperatures from 1e-6 to 1e6, FROM:TO, such as 2:0.5",
                                model::in_quotes(text)));
  options.tau_from = *from;
  options.tau_to = *to;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');)
    if (part != "none") parts.push_back(part);
  return parts;
}

void finish_options(TrainCommand& command) {
  if (!command.anneal.empty()) parse_anneal(command.anneal, command.options);
  if (!command.positions.empty()) command.options.positions = split(command.positions);
  if (command.last_only) command.options.target = train::Target::last_position;
  if (command.resume && command.checkpoint.empty()) throw UserError("--resume needs --checkpoint FILE to resume from");
  if (command.stop > 0 && command.checkpoint.empty())
    throw UserError("--stop without --checkpoint FILE would throw the work away");
  train::check(command.options);
}

train::Progress train_it(train::Trainer& trainer, const TrainCommand& command) {
  Progress bar("training");
  const InterruptNote interrupt;
  train::Progress last;
  last.step = trainer.steps_done();
  const std::size_t steps = trainer.options().steps;
  trainer.run_until(command.stop > 0 ? command.stop : steps, [&](const train::Progress& progress) {
    last = progress;
    bar.update(progress.step, steps);
    if (!command.checkpoint.empty() && progress.step % kCheckpointEvery == 0)
      train::save_checkpoint(trainer, command.checkpoint);
    if (interrupt.signal() != 0) throw Interrupted{interrupt.signal()};
  });
  if (!command.checkpoint.empty()) train::save_checkpoint(trainer, command.checkpoint);
  return last;
}

/// The compiled model of the same rule, if a recipe covers it and the limits allow it.
std::optional<model::Transformer> compiled_model(const lang::Rule& rule) {
  try {
    return driver::compile(rule).model;
  } catch (const DiagnosticError&) {
    return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::vector<TestRow> test_it(const train::Trainer& trainer, const model::Transformer& learnt, std::size_t count) {
  Progress bar("testing");
  const std::optional<model::Transformer> compiled = compiled_model(trainer.rule());
  std::vector<TestRow> rows;
  for (const std::size_t factor : {1, 2, 5, 10}) {
    const std::size_t length = factor * trainer.options().length;
    const std::vector<train::Lesson> lessons =
        factor == 1 ? trainer.held_out()
                    : trainer.words().draw_many(trainer.options().seed ^ kTestStream, count, length);
    TestRow row{factor, length, train::measure_accuracy(learnt, lessons), {}};
    if (compiled) row.compiled = train::measure_accuracy(*compiled, lessons);
    rows.push_back(std::move(row));
    bar.update(rows.size(), 4);
  }
  return rows;
}

std::string report_json(const train::Trainer& trainer, const Training& result) {
  nlohmann::ordered_json json;
  json["options"] = nlohmann::ordered_json::parse(train::to_json(trainer.options()));
  json["parameters"] = trainer.layout().size;
  json["step"] = trainer.steps_done();
  if (result.last.rate > 0) {
    json["loss"] = result.last.loss;
    json["batch_accuracy"] = result.last.accuracy;
  }
  json["seconds"] = result.seconds;
  json["test"] = nlohmann::ordered_json::array();
  for (const TestRow& row : result.rows) {
    nlohmann::ordered_json entry;
    entry["length"] = row.length;
    entry["words"] = row.learnt.words;
    entry["trained"] = row.learnt.of_words();
    entry["trained_positions"] = row.learnt.of_positions();
    entry["compiled"] = nullptr;
    entry["compiled_positions"] = nullptr;
    if (row.compiled) entry["compiled"] = row.compiled->of_words();
    if (row.compiled) entry["compiled_positions"] = row.compiled->of_positions();
    json["test"].push_back(entry);
  }
  return json.dump() + "\n";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string report_text(const train::Trainer& trainer, const Training& result) {
  std::string text =
      fmt::format("{:<12}{} layers, {} heads each, width {}, {} parameters\n", "network", trainer.options().layers,
                  trainer.options().heads, trainer.options().width, trainer.layout().size);
  text += fmt::format("{:<12}{} of {} steps of {} words up to length {}, {:.0f} s\n", "training", trainer.steps_done(),
                      trainer.options().steps, trainer.options().batch, trainer.options().length, result.seconds);
  if (result.last.rate > 0)
    text += fmt::format("{:<12}{:.4f}, {} of the last batch right\n", "loss", result.last.loss,
                        percent(result.last.accuracy));
  if (result.rows.empty()) return text;
  text +=
      fmt::format("\n{:>8}{:>8}{:>12}{:>12}{:>22}\n", "length", "words", "trained", "compiled", "trained, positions");
  for (const TestRow& row : result.rows)
    text += fmt::format("{:>8}{:>8}{:>12}{:>12}{:>22}\n", row.length, row.learnt.words, percent(row.learnt.of_words()),
                        row.compiled ? percent(row.compiled->of_words()) : "–", percent(row.learnt.of_positions()));
  return text;
}

model::Transformer learnt_model(const train::Trainer& trainer, const Source& source) {
  model::Transformer learnt = trainer.model();
  const bool automaton = std::holds_alternative<lang::Automaton>(trainer.rule());
  learnt.source = automaton ? lang::print(trainer.rule()) : source.text;  // one that says of which kind it is
  return learnt;
}

/// What there is goes where the result would have gone.
void put_away(const train::Trainer& trainer, const TrainCommand& command, const Source& source) {
  std::string text = fmt::format("interrupted after step {}", trainer.steps_done());
  if (!command.checkpoint.empty()) {
    train::save_checkpoint(trainer, command.checkpoint);
    text += fmt::format("; the state is in {}, and --resume goes on from it", command.checkpoint);
  }
  if (!command.output.empty()) {
    model::save(learnt_model(trainer, source), command.output);
    text += fmt::format("; the model so far is in {}", command.output);
  }
  say(text + "\n");
}

/// Every step asks for the same buffers again; glibc would give the large ones back to the system in between, and the
/// system would clear them each time.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMuch = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kMuch);
  mallopt(M_TRIM_THRESHOLD, kMuch);
#endif
}

void run(TrainCommand& command) {
  keep_freed_memory();
  const Source source = command.source.take_source();
  const lang::Rule rule = source.rule();
  finish_options(command);
  check_output(command.output, model_output());
  check_output(command.checkpoint, checkpoint_output());
  Training result;
  tbb::task_arena arena(command.threads > 0 ? command.threads : tbb::task_arena::automatic);
  arena.execute([&] {
    const auto start = std::chrono::steady_clock::now();
    train::Trainer trainer(rule, command.options);
    if (command.resume) train::load_checkpoint(trainer, command.checkpoint);
    try {
      result.last = train_it(trainer, command);
    } catch (const Interrupted&) {
      put_away(trainer, command, source);
      throw;
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const model::Transformer learnt = learnt_model(trainer, source);
    if (!command.output.empty()) model::save(learnt, command.output);
    if (!command.no_test) result.rows = test_it(trainer, learnt, command.test_words);
    print(command.json ? with_written(report_json(trainer, result), files_of({command.output, command.checkpoint}))
                       : report_text(trainer, result));
  });
  if (!command.output.empty() && !command.json) print(written_text({command.output}));
}

void add_network_options(App& app, TrainCommand& command) {
  const auto number = [&](const char* name, std::size_t& value, const char* help, std::uint64_t most) {
    return app.add_option(name, value, help)->type_name("N")->check(whole_number(1, most));
  };
  number("--layers", command.options.layers, "Layers", 64)->capture_default_str();
  number("--heads", command.options.heads, "Heads per layer", 64)->capture_default_str();
  number("--width", command.options.width, "Coordinates of the residual stream", 1024)->capture_default_str();
  number("--hidden", command.options.hidden, "ReLU units per layer; twice the width if not given", 16384);
  app.add_option("--positions", command.positions, "Position encodings, such as i/n,1/i,(-1)^i; or none")
      ->type_name("LIST");
  app.add_option("--mask", command.options.mask,
                 "Of every head; if not given: future, and every second head past if the rule looks to the right")
      ->type_name("MASK")
      ->check(one_of({"none", "future", "past", "strict_future", "strict_past"}));
  number("--length", command.options.length, "Words of length 1 to this", 4096)->capture_default_str();
  number("--batch", command.options.batch, "Words per step", 65536)->capture_default_str();
  number("--steps", command.options.steps, "Steps of the optimiser", kMostSteps)->capture_default_str();
  app.add_option("--seed", command.options.seed, "Another seed, other weights and words")
      ->type_name("N")
      ->check(any_whole_number())
      ->capture_default_str();
}

void add_optimiser_options(App& app, TrainCommand& command) {
  app.add_option("--lr", command.options.rate, "Highest learning rate; warms up, then falls along a cosine")
      ->type_name("RATE")
      ->check(real_number(0, 10))
      ->capture_default_str();
  app.add_option("--anneal", command.anneal, "Temperature of attention, from warm to cold; 1:0.5 if not given")
      ->type_name("FROM:TO");
  app.add_option("--clip", command.options.clip, "Largest norm of a step's gradient")
      ->type_name("NORM")
      ->check(real_number(0, 1e100))
      ->capture_default_str();
  app.add_option("--entropy", command.options.entropy, "Weight of attention's entropy in the loss; negative rewards it")
      ->type_name("LAMBDA")
      ->check(real_number(-1e100, 1e100));
  app.add_flag("--last", command.last_only, "Learn from the last position only, not from every position");
  app.add_flag("--unmentioned", command.options.unmentioned, "Words may contain a symbol the rule does not mention");
  app.add_option("--checkpoint", command.checkpoint,
                 "Write the state here now and then, at the end, and if interrupted")
      ->type_name("FILE");
  app.add_flag("--resume", command.resume, "Go on from the checkpoint");
  app.add_option("--stop", command.stop, "Stop after this many steps; the schedules stay those of --steps")
      ->type_name("N")
      ->check(whole_number(1, kMostSteps));
}

}  // namespace

void add_train(App& program) {
  App* app =
      program.add_subcommand("train", "Train a network on words labelled by a rule; compare with the compiled one");
  auto command = std::make_shared<TrainCommand>();
  command->source.add_to(*app, "SOURCE", "");
  app->add_option("-o,--output", command->output, "Write the model here (.safetensors)")->type_name("FILE");
  add_network_options(*app, *command);
  add_optimiser_options(*app, *command);
  app->add_option("--test-words", command->test_words, "Test words per length beyond the training length")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  app->add_flag("--no-test", command->no_test, "Only train");
  app->add_option("--threads", command->threads, "0: all cores")->type_name("T")->check(thread_count());
  app->add_flag("--json", command->json, "Report as one JSON object");
  app->describe_json(
      "`{\"options\",\"parameters\",\"step\",\"loss\",\"batch_accuracy\",\"seconds\",\"test\":[{\"length\",\"words\","
      "\"trained\","
      "\"trained_positions\",\"compiled\"|null,\"compiled_positions\"|null}…]}`: shares of words and positions, null "
      "if no recipe "
      "compiles the rule; `loss` and `batch_accuracy` are left out if no step was done. With `-o` or `--checkpoint` "
      "also `\"written\":[…]`, the files.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
