// What a strategy knows of the state before it decomposes anything: the position modulo s, a product in a group that
// the letters generate on the folded machine, differences of counts. All are known at the position itself, from its
// letter on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "automata/monoid/permutation_group.h"
#include "automata/translate/decompose/congruence.h"
#include "automata/translate/decompose/cover.h"
#include "automata/translate/groups/group_word.h"
#include "automata/translate/groups/potential.h"

namespace quench::automata {

struct Strategy {
  std::size_t modulus = 1;
  bool fold = false, potential = false;
  bool events = true;      ///< absorbing states are left out, and entering one is an event
  bool backwards = false;  ///< no decomposition at all: read from the last symbol back
};

class BaseVariables {
 public:
  /// Throws UserError if the strategy has no use here, or the group is not solvable.
  BaseVariables(Logic& logic, const PartialMachine& machine, const Strategy& strategy, const Limits& limits,
                Budget& budget);

  /// The letter first, then the rest.
  const std::vector<Feature>& features() const { return features_; }
  /// States that these variables do not tell apart: a congruence.
  const Partition& blocks() const { return blocks_; }

  /// What they are, a line each.
  const std::vector<std::string>& description() const { return description_; }

  /// What has to be remembered to follow them, besides the state: a number; at first 0.
  std::uint32_t follow(std::uint32_t memory, std::size_t letter) const;
  /// Their values at a position with this letter, where x and the memory are those before it.
  Point values(lang::State x, std::uint32_t memory, std::size_t letter) const;

 private:
  void add_letters();
  void add_phase();
  void add_group(const Limits& limits, Budget& budget);
  void add_potentials();
  void refine(const Partition& by);

  Logic& logic_;
  const PartialMachine& machine_;
  std::vector<Feature> features_;
  Partition blocks_;
  std::vector<lang::FormulaId> letter_formulas_;
  std::optional<PermutationGroup> group_;
  std::vector<Permutation> letter_permutations_;
  GroupWord word_;
  std::vector<Potential> potentials_;
  std::vector<std::vector<std::int64_t>> potential_values_;
  std::vector<std::string> description_;
};

}  // namespace quench::automata
