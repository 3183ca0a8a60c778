// quench words: labelled data sets.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/number/random.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/answers.h"
#include "cli/output/progress.h"
#include "model/file/strict_json.h"
#include "oracle/rule.h"
#include "verify/words/find_words.h"

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

class DataSet {
 public:
  DataSet(const WordsCommand& command, const lang::Rule& rule, Lengths lengths)
      : command_(command),
        rule_(rule),
        lengths_(lengths),
        unmentioned_(!lang::closed(rule) && (!command.mentioned_only || lang::alphabet(rule).size() == 0)),
        half_(command.count / 2),
        random_(command.seed) {}

  std::string make() {
    std::size_t misses = 0;
    const std::size_t patience = 1'000 + 20 * command_.count;
    while (size() < command_.count) {
      const Word word = random_word(random_, lang::alphabet(rule_).size(), unmentioned_, random_length());
      if (add(word)) continue;
      if (++misses <= patience) continue;
      find_the_rest();
    }
    std::string text;
    for (const std::string& line : lines_) text += line;
    return text;
  }

 private:
  std::size_t size() const { return accepted_ + rejected_; }
  std::size_t random_length() {
    return static_cast<std::size_t>(
        random_.between(static_cast<std::int64_t>(lengths_.low), static_cast<std::int64_t>(lengths_.high)));
  }

  /// False if there are enough of its kind.
  bool add(const Word& word) {
    const oracle::Values values = oracle::evaluate(rule_, word);
    std::size_t& side = values.back() ? accepted_ : rejected_;
    const std::size_t quota = values.back() ? command_.count - half_ : half_;
    if (command_.balanced && side == quota) return false;
    ++side;
    const std::string text = lang::alphabet(rule_).print(word);
    lines_.push_back(command_.jsonl ? answer_json(text, answer_of(rule_, values))
                                    : fmt::format("{}\t{}\n", text, label_of(answer_of(rule_, values))));
    return true;
  }

  /// One kind is too rare to be met by chance, so it is searched for; then all are shuffled.
  void find_the_rest() {
    const bool wanted = rejected_ == half_;
    verify::WordFinder finder(rule_, unmentioned_);
    Progress progress("searching words");
    std::set<std::size_t> without, given_up;      // lengths
    std::map<std::size_t, std::size_t> searches;  // in vain, by length
    std::size_t failures = 0, tried = 0;
    while (size() < command_.count) {
      const std::size_t length = random_length();
      if (without.contains(length) || given_up.contains(length)) continue;
      const verify::WordFinder::Found found = finder.find(length, wanted, random_);
      progress.update(size(), command_.count);
      if (found.word) {
        add(*found.word);
        failures = 0;
        searches.erase(length);
        continue;
      }
      tried += found.tried;
      if (found.proved) without.insert(length);
      if (!found.proved && ++searches[length] == kSearches) given_up.insert(length);
      if (without.size() + given_up.size() == lengths_.high - lengths_.low + 1 ||
          (!found.proved && ++failures > kPatience))
        throw not_enough(wanted, without, tried);
    }
    for (std::size_t k = lines_.size(); k > 1; --k) std::swap(lines_[k - 1], lines_[random_.below(k)]);
  }

  UserError not_enough(bool wanted, const std::set<std::size_t>& without, std::size_t tried) const {
    const char* kind = wanted ? "accepted" : "rejected";
    const bool one_length = lengths_.low == lengths_.high;
    const std::string of = one_length ? fmt::format("of length {}", lengths_.low)
                                      : fmt::format("of length {} to {}", lengths_.low, lengths_.high);
    const bool proved = without.size() == lengths_.high - lengths_.low + 1;
    return UserError(
        fmt::format("found only {} accepted and {} rejected words: {}; try another --length", accepted_, rejected_,
                    proved ? fmt::format("no word {} is {}", of, kind)
                           : fmt::format("a search for {} words {} gave up{}", kind, of,
                                         tried == 0 ? "" : fmt::format(" after {} made of short ones", tried))));
  }

  static constexpr std::size_t kPatience = 20;  // with searches in a row that find nothing
  static constexpr std::size_t kSearches = 3;   // in vain, after which a length is not tried again

  const WordsCommand& command_;
  const lang::Rule& rule_;
  const Lengths lengths_;
  const bool unmentioned_;
  const std::size_t half_;
  Random random_;
  std::size_t accepted_ = 0, rejected_ = 0;
  std::vector<std::string> lines_;
};

void run(WordsCommand& command) {
  const lang::Rule rule = command.source.take_source().rule();
  if (command.balanced && lang::output_sort(rule) != lang::Sort::boolean)
    throw UserError("--balanced is for rules that accept or reject");
  const Lengths lengths = parse_lengths(command.length);
  if (command.count * lengths.high > kMostSymbols)
    throw UserError(fmt::format("{} words of length {} are too many at once; at most {} symbols", command.count,
                                lengths.high, kMostSymbols));
  print(DataSet(command, rule, lengths).make());
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
