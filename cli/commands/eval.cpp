// quench eval: the direct semantics, no network.
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/shared/answers.h"
#include "cli/shared/source.h"
#include "oracle/rule.h"

namespace quench::cli {
namespace {

struct EvalCommand {
  SourceArguments source;
  std::string input;
  bool json = false;
};

void run(EvalCommand& command) {
  const lang::Rule rule = command.source.take_source().rule();
  const std::vector<std::string> words = collect_words(command.source.take_rest(), command.input);
  if (words.empty()) throw UserError("no word given; name some, or use --input FILE");
  const std::size_t width = widest(words);
  for (const std::string& word : words) {
    const Answer answer = answer_of(rule, oracle::evaluate(rule, lang::alphabet(rule).parse(word)));
    print(command.json ? answer_json(word, answer) : answer_text(word, answer, width));
  }
}

}  // namespace

void add_eval(App& program) {
  App* app = program.add_subcommand("eval", "Evaluate a rule directly, without a network");
  auto command = std::make_shared<EvalCommand>();
  command->source.add_to(*app, "SOURCE", "WORD...");
  app->add_option("--input", command->input, "Read words from FILE, one per line; - is standard input")
      ->type_name("FILE");
  app->add_flag("--json", command->json, "One JSON object per word");
  app->describe_json(
      "`{\"word\",\"n\",\"values\":[0/1…],\"accept\"}` for each word; rules that answer with something else have `\"output\"` instead of "
      "the last two: a text, a list of integers, or of scores (numbers, or objects `{\"a\":score,…}`), one per position.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
