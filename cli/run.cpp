// quench run: words through the network.
#include <fmt/format.h>

#include <memory>

#include "answers.h"
#include "base/error.h"
#include "bits_engine.h"
#include "certificates.h"
#include "command.h"
#include "run/answers.h"
#include "run/wide_sums.h"
#include "run_options.h"
#include "source.h"
#include "stream.h"

namespace quench::cli {
namespace {

struct RunCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::string input;
  bool uncertified = false, stream = false, explain = false, json = false;
};

/// How an engine sums over positions: all normalise last; the structured one in float32 sums most models in double.
certify::Summation summation(const model::Transformer& model, const RunArguments& run) {
  const bool wide = run.options().format == NumberFormat::f32 &&
                    (run.engine() == run::Engine::automatic || run.engine() == run::Engine::structured) &&
                    run::sums_are_wide(model);
  return wide ? certify::Summation::exact_count : certify::Summation::normalise_last;
}

/// What the certificate allows in the format and engine in use.
std::uint64_t longest_word(const model::Transformer& model, const RunArguments& run) {
  const auto certificate = valid_certificate(model);
  const NumberFormat format = run.options().format;
  const auto length =
      certificate ? certify::certified_length(*certificate, format, summation(model, run)) : std::nullopt;
  if (length) return *length;
  say(fmt::format("warning: this model has no certificate{}; --uncertified silences this\n",
                  certificate ? fmt::format(" for {}", to_string(format)) : ""));
  return certify::kLongest;
}

[[noreturn]] void refuse(std::size_t length, std::uint64_t longest, NumberFormat format,
                         const char* override_by = "--uncertified") {
  say(fmt::format(
      "refused: a word of length {}, but in {} this model is certified for n <= {} only\n"
      "  another --dtype may reach further (quench certify); {} runs it all the same\n",
      length, to_string(format), longest, override_by));
  throw NegativeFinding();
}

std::vector<std::string> given_words(RunCommand& command) {
  std::vector<std::string> words = collect_words(command.source.take_rest(), command.input);
  if (words.empty()) throw UserError("no word given; name some, or use --input FILE");
  return words;
}

void run_bits(RunCommand& command, const LoadedModel& loaded) {
  if (command.stream) throw UserError("--stream runs the network; leave out --engine bits");
  BitsEngine engine(loaded, command.run.options());
  const std::vector<std::string> words = given_words(command);
  std::vector<Word> symbols;
  for (const std::string& word : words) {
    symbols.push_back(engine.parse(word));
    const std::size_t n = symbols.back().size();
    if (n > engine.longest()) refuse(n, engine.longest(), command.run.options().format, "--engine auto --uncertified");
  }
  engine.evaluate(symbols);
  const std::size_t width = widest(words);
  for (std::size_t w = 0; w < words.size(); ++w) {
    const Answer answer{symbols[w].size(), engine.values(w), {}, {}};
    print(command.json ? answer_json(words[w], answer) : answer_text(words[w], answer, width));
  }
  if (command.explain) say(engine.explanation());
}

void run(RunCommand& command) {
  const LoadedModel loaded = take_model(command.source, command.compile);
  if (command.run.bits()) return run_bits(command, loaded);
  const std::uint64_t longest = command.uncertified ? certify::kLongest : longest_word(loaded.model, command.run);
  if (command.stream) {
    if (!command.source.take_rest().empty())
      throw UserError("--stream reads its tokens from standard input or --input");
    const std::size_t read =
        stream_tokens(loaded.model, command.run.options(), command.input, command.explain, longest);
    if (read > longest) refuse(read, longest, command.run.options().format);
    return;
  }
  const std::vector<std::string> words = given_words(command);
  const run::Executor executor(loaded.model, command.run.options(), command.run.engine());
  run::Executor::Workspace workspace;
  std::vector<double> outputs;
  const std::size_t width = widest(words);
  for (const std::string& word : words) {
    const Word symbols = loaded.model.alphabet.parse(word);
    if (symbols.size() > longest) refuse(symbols.size(), longest, command.run.options().format);
    Answer answer;
    if (loaded.model.output.kind == "boolean") {
      executor.outputs(symbols, workspace, outputs);
      answer = {symbols.size(), run::booleans(outputs), {}, {}};
    } else {
      const auto answers = run::answers(loaded.model, executor, run::Batch::of(symbols), workspace);
      answer = answer_of(loaded.model, symbols.size(), answers.front());
    }
    print(command.json ? answer_json(word, answer) : answer_text(word, answer, width));
    if (command.explain) say(run::explain_methods(executor, workspace));
  }
}

}  // namespace

void add_run(CLI::App& program) {
  CLI::App* app = program.add_subcommand("run", "Run words through a model: its value at every position");
  auto command = std::make_shared<RunCommand>();
  command->source.add_to(*app, "MODEL", "WORD...");
  command->compile.add_to(*app);
  command->run.add_to(*app, true);
  app->add_option("--input", command->input, "Read words from FILE, one per line; - is standard input")
      ->type_name("FILE");
  app->add_flag("--uncertified", command->uncertified, "Run without a certificate, and do not warn");
  app->add_flag("--stream", command->stream, "Read tokens as they come and answer each at once (decoders only)");
  app->add_flag("--explain", command->explain, "Say on standard error how each head was run, and why");
  app->add_flag("--json", command->json, "One JSON object per word");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
