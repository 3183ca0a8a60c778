// quench eval: the direct semantics, no network.
#include <memory>

#include "base/error.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/commands/rules/eval_all.h"
#include "cli/output/answers.h"
#include "cli/output/lint.h"
#include "oracle/rule.h"

namespace quench::cli {
namespace {

struct EvalCommand {
  SourceArguments source;
  std::string input;
  TableOptions table;
  WordLint lint;
  bool json = false;
};

void print_table(EvalCommand& command, const lang::Rule& rule) {
  if (!collect_words(command.source.take_rest(), command.input).empty())
    throw UserError("--all takes all words up to a length; leave out the word");
  command.table.json = command.json;
  print(truth_table(rule, command.table));
}

void run(EvalCommand& command) {
  const Source source = command.source.take_source();
  const lang::Rule rule = source.rule();
  if (command.table.length > 0) return print_table(command, rule);
  if (command.table.mentioned_only || command.table.accepted_only)
    throw UserError("--mentioned and --accepted belong to --all L");
  const std::vector<GivenWord> words = collect_words(command.source.take_rest(), command.input);
  if (words.empty()) throw UserError("no word given; name some, or use --input FILE or --all L");
  const WordLint::Known known{lang::alphabet(rule), lang::closed(rule), source.linted};
  const std::size_t width = widest(texts_of(words));
  for (const GivenWord& word : words) {
    const Answer answer = word.diagnose([&] {
      command.lint.look_at(known, word.text);
      return answer_of(rule, oracle::evaluate(rule, lang::alphabet(rule).parse(word.text)));
    });
    print(command.json ? answer_json(word.text, answer) : answer_text(word.text, answer, width));
  }
}

}  // namespace

void add_eval(App& program) {
  App* app = program.add_subcommand("eval", "Evaluate a rule directly, without a network");
  auto command = std::make_shared<EvalCommand>();
  command->source.add_to(*app, "SOURCE", "WORD...");
  app->add_option("--input", command->input, "Read words from FILE, one per line; - is standard input")
      ->type_name("FILE");
  app->add_option("--all", command->table.length, "The truth table: all words up to this length, and their number")
      ->type_name("L")
      ->check(whole_number(1, 64));
  app->add_flag("--accepted", command->table.accepted_only, "Of --all: only the accepted words");
  app->add_flag("--mentioned", command->table.mentioned_only, "Of --all: only symbols that the rule mentions");
  command->lint.add_to(*app);
  app->add_flag("--json", command->json, "One JSON object per word; one for the table of --all");
  app->describe_json(
      "`{\"word\",\"n\",\"values\":[0/1…],\"accept\"}` for each word; rules that answer with something else have "
      "`\"output\"` "
      "instead of the last two: a text, a list of integers, or of scores (numbers, or objects `{\"a\":score,…}`), one "
      "per "
      "position. `--all` prints `{\"symbols\":[…],\"other\"|null,\"words\":[…as "
      "above],\"lengths\":[{\"length\",\"words\","
      "\"accepted\"}…]}`; `other` is the symbol that stands for all that the rule does not mention.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
