// quench run: words through the network.
#include <fmt/format.h>

#include <memory>

#include "answers.h"
#include "base/error.h"
#include "command.h"
#include "run_options.h"
#include "source.h"

namespace quench::cli {
namespace {

struct RunCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::string input;
  bool uncertified = false, json = false;
};

void run(RunCommand& command) {
  const LoadedModel loaded = take_model(command.source, command.compile);
  const std::vector<std::string> words = collect_words(command.source.take_rest(), command.input);
  if (words.empty()) throw UserError("no word given; name some, or use --input FILE");
  if (!command.uncertified)
    fmt::print(stderr, "warning: this model has no certificate; --uncertified silences this\n");
  const run::ReferenceExecutor executor(loaded.model, command.run.options());
  run::ReferenceExecutor::Workspace workspace;
  const std::size_t width = widest(words);
  for (const std::string& word : words) {
    const Answer answer = answer_of(loaded.model, executor.run(loaded.model.alphabet.parse(word), workspace));
    print(command.json ? answer_json(word, answer) : answer_text(word, answer, width));
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
  app->add_flag("--json", command->json, "One JSON object per word");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
