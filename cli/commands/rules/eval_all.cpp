#include "cli/commands/rules/eval_all.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/output/answers.h"
#include "oracle/rule.h"
#include "verify/words/workload.h"

namespace quench::cli {
namespace {

constexpr std::uint64_t kLargestTable = 1'000'000;

void refuse_too_many(std::size_t symbols, std::size_t length) {
  const std::uint64_t words = verify::count_words(symbols, static_cast<int>(length));
  if (words <= kLargestTable) return;
  throw UserError(fmt::format("there are {} words up to length {} over {} symbols, and a table has at most {}",
                              words < 1ULL << 63 ? fmt::format("{}", words) : "more than 10^18", length, symbols,
                              kLargestTable));
}

/// How many words of one length there are, and how many of them are accepted.
struct LengthCount {
  std::size_t length = 0;
  std::uint64_t words = 0, accepted = 0;
};

class TruthTable {
 public:
  TruthTable(const lang::Rule& rule, const TableOptions& options)
      : rule_(rule),
        options_(options),
        alphabet_(lang::alphabet(rule)),
        other_(!lang::closed(rule) && (!options.mentioned_only || alphabet_.size() == 0)),
        judges_(lang::output_sort(rule) == lang::Sort::boolean) {
    if (options.accepted_only && !judges_) throw UserError("--accepted is for rules that accept or reject");
    refuse_too_many(symbols(), options.length);
  }

  std::string run() {
    verify::Options all;
    all.exhaustive = static_cast<int>(options_.length);
    const verify::Workload workload(symbols(), all);
    for (std::uint64_t task = 0; task < workload.tasks(); ++task)
      for (Word word : workload.words(task)) {
        for (Symbol& s : word) s = s == static_cast<Symbol>(alphabet_.size()) ? kUnmentioned : s;
        add(word);
      }
    return options_.json ? json() : text();
  }

 private:
  std::size_t symbols() const { return alphabet_.size() + (other_ ? 1 : 0); }

  void add(const Word& word) {
    if (counts_.empty() || counts_.back().length != word.size()) counts_.push_back({word.size()});
    Answer answer = answer_of(rule_, oracle::evaluate(rule_, word));
    const bool accepted = judges_ && answer.values->back();
    ++counts_.back().words;
    counts_.back().accepted += accepted ? 1 : 0;
    if (options_.accepted_only && !accepted) return;
    words_.push_back(alphabet_.print(word));
    answers_.push_back(std::move(answer));
  }

  std::string text() const {
    const std::size_t width = widest(words_);
    std::string text;
    for (std::size_t w = 0; w < words_.size(); ++w) text += answer_text(words_[w], answers_[w], width);
    if (!judges_) return text;
    text += fmt::format("\n{:>6}{:>10}{:>10}\n", "length", "words", "accepted");
    for (const LengthCount& count : counts_)
      text += fmt::format("{:>6}{:>10}{:>10}\n", count.length, count.words, count.accepted);
    if (other_)
      text += fmt::format("'{}' stands for any symbol that the rule does not mention\n", alphabet_.unmentioned());
    return text;
  }

  /// The words one by one, as `eval --json` writes them.
  std::string json() const {
    nlohmann::ordered_json head{{"symbols", alphabet_.symbols()}, {"other", nullptr}};
    if (other_) head["other"] = alphabet_.unmentioned();
    std::string text = head.dump();
    text.back() = ',';
    text += "\"words\":[";
    for (std::size_t w = 0; w < words_.size(); ++w) {
      std::string one = answer_json(words_[w], answers_[w]);
      one.pop_back();  // the end of the line
      text += (w > 0 ? "," : "") + one;
    }
    auto lengths = nlohmann::ordered_json::array();
    for (const LengthCount& count : counts_) {
      lengths.push_back({{"length", count.length}, {"words", count.words}});
      if (judges_) lengths.back()["accepted"] = count.accepted;
    }
    return text + "],\"lengths\":" + lengths.dump() + "}\n";
  }

  const lang::Rule& rule_;
  const TableOptions& options_;
  const Alphabet& alphabet_;
  bool other_;   // whether a symbol that the rule does not mention takes part
  bool judges_;  // whether the rule accepts or rejects
  std::vector<LengthCount> counts_;
  std::vector<std::string> words_;
  std::vector<Answer> answers_;
};

}  // namespace

std::string truth_table(const lang::Rule& rule, const TableOptions& options) { return TruthTable(rule, options).run(); }

}  // namespace quench::cli
