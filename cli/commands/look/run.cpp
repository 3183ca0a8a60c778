// quench run: words through the network.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/text/utf8.h"
#include "certified/promise.h"
#include "certified/runner.h"
#include "cli/arguments/run_options.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/answers.h"
#include "cli/output/lint.h"
#include "cli/output/stream.h"
#include "cli/output/terminal.h"

namespace quench::cli {
namespace {

struct RunCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::string input;
  WordLint lint;
  bool uncertified = false, stream = false, explain = false, json = false;
};

/// A rule is certified before it runs; a model file brings its certificate along, or none.
void certify_rule(RunCommand& command, LoadedModel& loaded) {
  if (loaded.from_file || command.uncertified) return;
  const NumberFormat format = command.run.options().format;
  const std::optional<std::string> reason = certified::certify_in(loaded.model, format);
  if (!reason) return;
  command.uncertified = true;
  warn(fmt::format("in {} no length is certified: {}; --uncertified silences this", to_string(format), *reason));
}

certified::Request request_of(const RunCommand& command) {
  certified::Request request;
  request.options = command.run.options();
  request.bits = command.run.bits();
  if (!request.bits) request.engine = command.run.engine();
  request.uncertified = command.uncertified;
  return request;
}

void tell_limits(const certified::RunLimit& limit) {
  for (const std::string& warning : limit.warnings) {
    const bool silenced = !limit.certified && &warning == &limit.warnings.back();
    warn(printable(warning) + (silenced ? "; --uncertified silences this" : ""));
  }
}

[[noreturn]] void refuse(const certified::LengthRefused& refused, const certified::RunLimit& limit, bool bits) {
  const std::string why =
      fmt::format("{}{}", refused.what(),
                  limit.with_exact_sums > limit.longest
                      ? fmt::format(" in this engine (--engine structured: n <= {})", limit.with_exact_sums)
                      : "");
  say(fmt::format("{}: {}\n  another --dtype may reach further (quench certify); {} runs it all the same\n",
                  coloured_word("refused", kRed), why, bits ? "--engine auto --uncertified" : "--uncertified"));
  throw NegativeFinding{why};
}

std::vector<GivenWord> given_words(RunCommand& command, const LoadedModel& loaded) {
  std::vector<GivenWord> words = collect_words(command.source.take_rest(), command.input);
  if (words.empty()) throw UserError("no word given; name some, or use --input FILE");
  look_at(command.lint, command.source, loaded, words);
  return words;
}

void run_stream(RunCommand& command, const model::Transformer& model) {
  if (command.run.bits()) throw UserError("--stream runs the network; leave out --engine bits");
  if (command.lint.strict()) throw UserError("--strict is for whole words; leave out --stream");
  const certified::Request request = request_of(command);
  certified::RunLimit limit;
  if (!command.uncertified) limit = certified::run_limit(model, request.options, request.engine, /*stream=*/true);
  tell_limits(limit);
  if (!command.source.take_rest().empty()) throw UserError("--stream reads its tokens from standard input or --input");
  const std::size_t read = stream_tokens(model, request.options, command.input, command.explain, limit.longest);
  if (read > limit.longest) refuse({read, limit.longest, request.options.format}, limit, /*bits=*/false);
}

std::vector<std::vector<std::int64_t>> answers_or_refusal(const certified::Runner& runner, const RunCommand& command,
                                                          std::span<const Word> words,
                                                          certified::Runner::Workspace& workspace) {
  try {
    return runner.answers(words, workspace);
  } catch (const certified::LengthRefused& refused) {
    refuse(refused, runner.limit(), command.run.bits());
  }
}

void run_words(RunCommand& command, const LoadedModel& loaded) {
  const certified::Request request = request_of(command);
  const certified::Runner runner(loaded.model, request, request.bits && loaded.rule ? &*loaded.rule : nullptr);
  tell_limits(runner.limit());
  const std::vector<GivenWord> words = given_words(command, loaded);
  const std::size_t width = widest(texts_of(words));
  certified::Runner::Workspace workspace;
  const auto show = [&](const std::string& word, std::size_t n, const std::vector<std::int64_t>& answers) {
    const Answer answer = answer_of(loaded.model, n, answers);
    print(command.json ? answer_json(word, answer) : answer_text(word, answer, width));
  };
  // `bits` takes all of them side by side; networks one by one, so that answers appear as they come.
  const std::size_t at_once = request.bits ? words.size() : 1;
  for (std::size_t first = 0; first < words.size(); first += at_once) {
    std::vector<Word> symbols;
    for (std::size_t w = first; w < first + at_once; ++w)
      symbols.push_back(words[w].diagnose([&] { return runner.alphabet().parse(words[w].text); }));
    const auto answers = answers_or_refusal(runner, command, symbols, workspace);
    for (std::size_t w = 0; w < at_once; ++w) show(words[first + w].text, symbols[w].size(), answers[w]);
    if (command.explain) say(runner.explanation(workspace));
  }
}

void run(RunCommand& command) {
  command.compile.choose_in(command.run.options().format);
  LoadedModel loaded = take_model(command.source, command.compile);
  if (!command.run.bits()) certify_rule(command, loaded);
  if (command.stream) return run_stream(command, loaded.model);
  run_words(command, loaded);
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
  command->lint.add_to(*app);
  app->add_flag("--json", command->json, "One JSON object per word");
  app->describe_json("as `quench eval` prints it.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
