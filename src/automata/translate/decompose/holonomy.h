// Holonomy of a quotient of a partial machine, relative to blocks that are known already (Eilenberg's decomposition,
// with partial images and sets of states in place of the whole monoid).
//
// I is the closure of the fibres and of the single states under letters. The tiles of a set P in I are its maximal
// proper subsets in I. Sets that letters lead to each other are one class; a class is higher than its tiles and than
// the classes that letters lead it to. A state q in a fibre T is found by labels: from the top level k down, if T has
// height k it is replaced by its tile number l_k; at height 0 it is {q}.
//
// A letter a takes q in T to qa in P, both fibres to begin with, and T·a ⊆ P and heights ≤ k hold from level to level.
// Where P has height k, either T·a = P: then T has height k too, because a class is higher than others that letters
// lead it to, a is a bijection, and tiles go to tiles: the label is permuted. Or T·a lies in a tile of P: the label is
// reset to it. Otherwise the label is not read. So what happens to a label is decided by the letter, the fibres, and
// the labels above it. If no letter permutes anything, the language is aperiodic relative to the fibres.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "automata/monoid/permutation_group.h"
#include "automata/translate/decompose/congruence.h"

namespace quench::automata {

class Holonomy {
 public:
  /// `quotient` lies in `fibres`; both are congruences of the machine.
  Holonomy(const PartialMachine& machine, const Partition& quotient, const Partition& fibres, const Limits& limits,
           Budget& budget);

  /// Levels are numbered from the top: 0 is decided first.
  std::size_t levels() const { return levels_; }
  std::size_t labels(std::size_t level) const { return labels_[level]; }

  struct Action {
    enum class Kind : std::uint8_t { none, reset, permute };
    Kind kind = Kind::none;
    std::int16_t label = -1;  ///< of a reset
    Permutation permutation;  ///< of the labels of this level; empty: the label stays
    friend bool operator==(const Action&, const Action&) = default;
  };
  using Labels = std::vector<std::int16_t>;  ///< by level; −1: not read
  Labels initial() const;
  /// What the letter does to the labels at state x; it must lead on from there.
  std::vector<Action> actions(lang::State x, const Labels& labels, std::size_t letter) const;
  static Labels apply(const Labels& labels, const std::vector<Action>& actions);
  /// The label that a reset or a permutation leads to.
  static std::int16_t after(const Action& action, std::int16_t label);

 private:
  using Set = std::vector<std::uint32_t>;  // of blocks of the quotient, sorted
  using SetId = std::uint32_t;

  void build_quotient(const Partition& quotient, const Partition& fibres);
  SetId add(Set set);
  Set image(const Set& set, std::size_t letter) const;
  void close();
  void find_tiles();
  void find_classes();
  void find_frames();
  void number_labels();
  SetId tile(SetId set, std::int16_t label) const;
  std::int16_t label_of(SetId set, const Set& part) const;

  const PartialMachine& machine_;
  const Limits& limits_;
  Budget& budget_;
  Partition quotient_, fibre_of_;    // by state; fibre_of_: the set of its fibre
  std::vector<std::uint32_t> next_;  // of the quotient, by block and letter
  std::vector<Set> sets_;
  std::map<Set, SetId> ids_;
  std::vector<SetId> step_;                    // by set and letter, or kNowhere
  std::vector<std::vector<SetId>> tiles_;      // by set, in the order of labels once frames are there
  std::vector<std::uint32_t> class_, height_;  // by set
  std::vector<Set> frame_;                     // by set: the images of the representative's elements, in their order
  std::vector<std::int16_t> offset_;           // by set: the number of its first label
  std::size_t levels_ = 0;
  std::vector<std::size_t> labels_;
};

}  // namespace quench::automata
