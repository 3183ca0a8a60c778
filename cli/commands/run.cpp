// quench run: words through the network.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/text/utf8.h"
#include "certified/allowance.h"
#include "cli/command.h"
#include "cli/shared/answers.h"
#include "cli/shared/bits_engine.h"
#include "cli/shared/run_options.h"
#include "cli/shared/source.h"
#include "cli/shared/stream.h"
#include "run/answers.h"

namespace quench::cli {
namespace {

struct RunCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::string input;
  bool uncertified = false, stream = false, explain = false, json = false;
};

/// What a certificate allows in the format and engine in use.
certified::RunLimit limit_of(const model::Transformer& model, const RunCommand& command) {
  certified::RunLimit limit =
      certified::run_limit(model, command.run.options(), command.run.engine(), command.stream);
  for (const std::string& warning : limit.warnings) say(fmt::format("warning: {}\n", printable(warning)));
  return limit;
}

[[noreturn]] void refuse(std::size_t length, const certified::RunLimit& limit, NumberFormat format,
                         const char* override_by = "--uncertified") {
  const std::string why =
      fmt::format("a word of length {}, but in {} this model is certified for n <= {} only{}", length, to_string(format),
                  limit.longest,
                  limit.with_exact_sums > limit.longest
                      ? fmt::format(" in this engine (--engine structured: n <= {})", limit.with_exact_sums)
                      : "");
  say(fmt::format("refused: {}\n  another --dtype may reach further (quench certify); {} runs it all the same\n", why,
                  override_by));
  throw NegativeFinding{why};
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
    if (n > engine.longest()) {
      certified::RunLimit limit;
      limit.longest = engine.longest();
      refuse(n, limit, command.run.options().format, "--engine auto --uncertified");
    }
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
  const certified::RunLimit limit = command.uncertified ? certified::RunLimit() : limit_of(loaded.model, command);
  if (command.stream) {
    if (!command.source.take_rest().empty())
      throw UserError("--stream reads its tokens from standard input or --input");
    const std::size_t read =
        stream_tokens(loaded.model, command.run.options(), command.input, command.explain, limit.longest);
    if (read > limit.longest) refuse(read, limit, command.run.options().format);
    return;
  }
  const std::vector<std::string> words = given_words(command);
  const run::Executor executor(loaded.model, command.run.options(), command.run.engine(), /*parallel=*/true,
                               limit.exact_sums);
  run::Executor::Workspace workspace;
  std::vector<double> outputs;
  const std::size_t width = widest(words);
  for (const std::string& word : words) {
    const Word symbols = loaded.model.alphabet.parse(word);
    if (symbols.size() > limit.longest) refuse(symbols.size(), limit, command.run.options().format);
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

void add_run(App& program) {
  App* app = program.add_subcommand("run", "Run words through a model: its value at every position");
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
  app->describe_json("as `quench eval` prints it.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
