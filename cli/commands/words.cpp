// quench words: labelled data sets.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/number/random.h"
#include "cli/command.h"
#include "cli/shared/answers.h"
#include "cli/shared/numbers.h"
#include "cli/shared/source.h"
#include "model/strict_json.h"
#include "oracle/rule.h"

namespace quench::cli {
namespace {

struct WordsCommand {
  SourceArguments source;
  std::size_t count = 10;
  std::string length = "10";
  std::uint64_t seed = 1;
  bool balanced = false, mentioned_only = false, jsonl = false;
};

struct Lengths {
  std::size_t low, high;
};

constexpr std::uint64_t kMostWords = 10'000'000, kLongestWord = 10'000'000, kMostSymbols = 1'000'000'000;

/// "L" or "A-B"
Lengths parse_lengths(const std::string& text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto low = read_whole(text.substr(0, dash));
  const auto high = dash < text.size() ? read_whole(text.substr(dash + 1)) : low;
  if (!low || !high || *low < 1 || *high < *low || *high > kLongestWord)
    throw UserError(fmt::format("--length: {} is not a length from 1 to {}, or a range of them such as 1-40",
                                model::in_quotes(text), kLongestWord));
  return {*low, *high};
}

void run(WordsCommand& command) {
  const lang::Rule rule = command.source.take_source().rule();
  const Alphabet& alphabet = lang::alphabet(rule);
  if (command.balanced && lang::output_sort(rule) != lang::Sort::boolean)
    throw UserError("--balanced is for rules that accept or reject");
  const Lengths lengths = parse_lengths(command.length);
  if (command.count * lengths.high > kMostSymbols)
    throw UserError(fmt::format("{} words of length {} are too many at once; at most {} symbols", command.count,
                                lengths.high, kMostSymbols));
  const bool unmentioned = !command.mentioned_only || alphabet.size() == 0;
  Random random(command.seed);
  std::size_t accepted = 0, rejected = 0, misses = 0;
  const std::size_t half = command.count / 2;
  const std::size_t patience = 100'000 + 1'000 * command.count;
  std::string output;
  while (accepted + rejected < command.count) {
    const std::size_t length = static_cast<std::size_t>(
        random.between(static_cast<std::int64_t>(lengths.low), static_cast<std::int64_t>(lengths.high)));
    const Word word = random_word(random, alphabet.size(), unmentioned, length);
    const oracle::Values values = oracle::evaluate(rule, word);
    std::size_t& side = values.back() ? accepted : rejected;
    const std::size_t quota = values.back() ? command.count - half : half;
    if (command.balanced && side == quota) {
      if (++misses > patience)
        throw UserError(fmt::format("found only {} accepted and {} rejected words among {} tries; try another --length",
                                    accepted, rejected, accepted + rejected + misses));
      continue;
    }
    ++side;
    const std::string text = alphabet.print(word);
    output += command.jsonl ? answer_json(text, answer_of(rule, values))
                            : fmt::format("{}\t{}\n", text, label_of(answer_of(rule, values)));
  }
  print(output);
}

}  // namespace

void add_words(App& program) {
  App* app = program.add_subcommand("words", "Random words with their labels, a data set");
  auto command = std::make_shared<WordsCommand>();
  command->source.add_to(*app, "SOURCE", "");
  app->add_option("--count", command->count, "How many")
      ->type_name("N")
      ->check(whole_number(0, kMostWords))
      ->capture_default_str();
  app->add_option("--length", command->length, "Their length, or a range such as 1-40")
      ->type_name("L")
      ->capture_default_str();
  app->add_option("--seed", command->seed, "Another seed, other words")
      ->type_name("N")
      ->check(any_whole_number())
      ->capture_default_str();
  app->add_flag("--balanced", command->balanced, "Half of them accepted, half rejected");
  app->add_flag("--mentioned", command->mentioned_only, "Only symbols that the rule mentions");
  app->add_flag("--jsonl", command->jsonl, "One JSON object per line, with the value at every position");
  app->describe_json("as `quench eval` prints it, with `--jsonl`.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
