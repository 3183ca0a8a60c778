// The labels of a decomposition as formulas: each level from the letter, the base variables and the labels above it,
// all of the position before.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "automata/translate/decompose/base_variables.h"
#include "automata/translate/decompose/holonomy.h"

namespace quench::automata {

/// One subdirectly irreducible quotient of the machine and the formulas of its labels.
struct Family {
  Partition quotient;
  Holonomy holonomy;
  std::vector<std::size_t> below;    ///< families that tell its fibres apart, and theirs, in order
  std::vector<Feature> now, before;  ///< by level: the label after, and before, the position's letter
};

/// A state with all labels of some families.
struct Configuration {
  lang::State x = 0;
  std::uint32_t memory = 0;  ///< of the base variables
  std::vector<Holonomy::Labels> labels;
};

/// All configurations that words lead to, and what letters do to them, those with events included.
struct Exploration {
  struct Step {
    std::size_t from, letter;
    lang::State to;                              ///< kNoState: an event
    std::vector<Holonomy::Labels> labels;        ///< after the letter
    std::vector<Holonomy::Action> last_actions;  ///< of the last family, by level
  };
  std::vector<Configuration> configurations;
  std::vector<Step> steps;
};

class Decomposition {
 public:
  Decomposition(Logic& logic, const PartialMachine& machine, const BaseVariables& base, const Limits& limits,
                Budget& budget)
      : logic_(logic), machine_(machine), base_(base), limits_(limits), budget_(budget) {}

  /// Builds families until each two states of one base block whose roles differ are told apart.
  void separate_roles();
  /// The formulas: true after the position where the state accepts; where the letter wins or loses for good.
  lang::FormulaId accepting();
  lang::FormulaId event(Event event);

  /// The quotients and their levels, a line each.
  const std::vector<std::string>& description() const { return description_; }

 private:
  Exploration explore(const std::vector<std::size_t>& families) const;
  const Exploration& whole();  ///< with all families
  bool separated(lang::State p, lang::State q) const;
  /// Families that separate all pairs of states of one base block in different blocks of the congruence `goal`.
  std::vector<std::size_t> separate_blocks(const Partition& goal);
  std::size_t build(const Partition& start, lang::State p, lang::State q);
  void build_level(std::size_t family, std::size_t level, const Exploration& found);

  Logic& logic_;
  const PartialMachine& machine_;
  const BaseVariables& base_;
  const Limits& limits_;
  Budget& budget_;
  std::vector<std::unique_ptr<Family>> families_;
  std::optional<Exploration> whole_;
  std::vector<std::string> description_;
};

}  // namespace quench::automata
