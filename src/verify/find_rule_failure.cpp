// The search for a failure of a rule that is not a formula. Nothing is known of what goes on at the other positions of
// such a network, so words are run whole.
#include <algorithm>

#include "verify/find_failure.h"
#include "verify/rule_comparison.h"

namespace quench::verify {
namespace {

constexpr std::size_t kShort = 192;  // up to here several words of every family are tried
constexpr std::uint64_t kShortSeeds = 6;

class RuleSearch {
 public:
  RuleSearch(const model::Transformer& model, const lang::Rule& rule, const FailureSearch& search)
      : search_(search),
        comparison_(model, rule, search.run, search.structured ? run::Engine::structured : run::Engine::reference),
        scratch_(comparison_) {}

  FailureReport run() {
    report_.searched = search_.structured ? search_.to : std::min(search_.to, kLongestWhole);
    const std::vector<std::size_t> all = failure_lengths(std::max<std::size_t>(search_.from, 1), report_.searched);
    std::size_t right = all.empty() ? 0 : all.front() - 1;  // the last length at which nothing failed
    for (std::size_t k = 0; k < all.size() && !report_.failure; right = all[k++]) {
      if (search_.progress) search_.progress(k, all.size());
      for (std::uint64_t seed = 0; seed < (all[k] <= kShort ? kShortSeeds : 1); ++seed)
        for (std::size_t family = 0; family < kFamilies; ++family) {
          const std::size_t length = report_.failure ? report_.failure->length - 1 : all[k];
          if (length > right && fails(family, length, seed)) bisect(family, length, right, seed);
        }
    }
    return std::move(report_);
  }

 private:
  Word word(std::size_t family, std::size_t length, std::uint64_t seed) const {
    return adversarial_word(family, comparison_.symbols(), length, search_.seed + seed);
  }

  bool fails(std::size_t family, std::size_t length, std::uint64_t seed) {
    ++report_.words;
    report_.positions += length;
    return comparison_.differs(word(family, length, seed), scratch_);
  }

  /// The shortest failure of the family above `right` that bisection finds.
  void bisect(std::size_t family, std::size_t wrong, std::size_t right, std::uint64_t seed) {
    while (wrong - right > 1) {
      const std::size_t middle = right + (wrong - right) / 2;
      (fails(family, middle, seed) ? wrong : right) = middle;
    }
    const Counterexample found = comparison_.counterexample(word(family, wrong, seed));
    report_.failure = Failure{wrong, found.position, found.expected, found.got, family_name(family), true};
  }

  const FailureSearch& search_;
  RuleComparison comparison_;
  RuleComparison::Scratch scratch_;
  FailureReport report_;
};

}  // namespace

FailureReport search_failure(const model::Transformer& model, const lang::Rule& rule, const FailureSearch& search) {
  if (const auto* formula = std::get_if<lang::Formula>(&rule)) return search_failure(model, *formula, search);
  if (const auto* automaton = std::get_if<lang::Automaton>(&rule); automaton && automaton->formula)
    return search_failure(model, *automaton->formula, search);
  return RuleSearch(model, rule, search).run();
}

}  // namespace quench::verify
