// quench run: words through the network.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "answers.h"
#include "base/error.h"
#include "command.h"
#include "run/stream.h"
#include "run_options.h"
#include "source.h"

namespace quench::cli {
namespace {

struct RunCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::string input;
  bool uncertified = false, stream = false, explain = false, json = false;
};

void warn_uncertified(const RunCommand& command) {
  if (!command.uncertified)
    fmt::print(stderr, "warning: this model has no certificate; --uncertified silences this\n");
}

/// The next token: a character, or what stands between blanks if symbols are longer. Line ends count as blanks. Empty
/// at the end of the input.
std::string next_token(std::FILE* input, bool characters) {
  std::string token;
  for (int byte = std::getc(input); byte != EOF; byte = std::getc(input)) {
    const bool blank = byte == '\n' || byte == '\r' || (!characters && (byte == ' ' || byte == '\t'));
    if (blank && !token.empty()) break;
    if (blank) continue;
    token += static_cast<char>(byte);
    if (!characters) continue;
    const int first = static_cast<unsigned char>(token[0]);
    const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (token.size() == length) break;
  }
  return token;
}

/// Tokens from standard input or --input, one answer line each as soon as it is known.
void stream(const RunCommand& command, const model::Transformer& model) {
  run::StreamExecutor executor(model, command.run.options());
  if (command.explain) fmt::print(stderr, "{}", executor.describe());
  const bool from_file = !command.input.empty() && command.input != "-";
  std::FILE* input = from_file ? std::fopen(command.input.c_str(), "rb") : stdin;
  if (!input) throw IoError("cannot read " + command.input);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> close(from_file ? input : nullptr, std::fclose);
  const bool characters = model.alphabet.single_characters();
  for (std::string token; !(token = next_token(input, characters)).empty();) {
    const double value = executor.push(model.alphabet.find(model.alphabet.split(token).front()));
    print(value >= 0.5 ? "1\n" : "0\n");
    std::fflush(stdout);
  }
}

void run(RunCommand& command) {
  const LoadedModel loaded = take_model(command.source, command.compile);
  if (command.stream) {
    if (!command.source.take_rest().empty()) throw UserError("--stream reads its tokens from standard input or --input");
    warn_uncertified(command);
    return stream(command, loaded.model);
  }
  const std::vector<std::string> words = collect_words(command.source.take_rest(), command.input);
  if (words.empty()) throw UserError("no word given; name some, or use --input FILE");
  warn_uncertified(command);
  const run::Executor executor(loaded.model, command.run.options(), command.run.engine());
  run::Executor::Workspace workspace;
  std::vector<double> outputs;
  const std::size_t width = widest(words);
  for (const std::string& word : words) {
    executor.outputs(loaded.model.alphabet.parse(word), workspace, outputs);
    const auto values = run::booleans(outputs);
    print(command.json ? answer_json(word, values) : answer_text(word, values, width));
    if (command.explain) fmt::print(stderr, "{}", run::explain_methods(executor, workspace));
  }
}

}  // namespace

void add_run(CLI::App& program) {
  CLI::App* app = program.add_subcommand("run", "Run words through a model: its value at every position");
  auto command = std::make_shared<RunCommand>();
  command->source.add_to(*app, "MODEL", "WORD...");
  command->compile.add_to(*app);
  command->run.add_to(*app);
  app->add_option("--input", command->input, "Read words from FILE, one per line; - is standard input")
      ->type_name("FILE");
  app->add_flag("--uncertified", command->uncertified, "Run without a certificate, and do not warn");
  app->add_flag("--stream", command->stream, "Read tokens as they come and answer each at once (decoders only)");
  app->add_flag("--explain", command->explain, "Say on standard error how each head was run, and why");
  app->add_flag("--json", command->json, "One JSON object per word");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
