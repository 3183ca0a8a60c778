// One head under examination: what its files share. Which conditions each kind needs, and why its result is what the
// lemma says, is derived in docs/certificates.md; here every condition is read off the weights again.
//
//   head.cpp         what is stored, values, retrieving            means.cpp         uniform heads
//   tie_break.cpp    [P-L8a,b,c]                                    lookup.cpp        [P-L7]
//   exact_scores.cpp scores without rounding                        nearest.cpp       [Q-prev], [Q-dyadic], [Q-any]
//   sign.cpp         [Q-sign]                                       sink.cpp          [Q-sink]
#pragma once

#include "check/facts.h"

namespace quench::check {

using Results = std::vector<std::array<Fact, kKinds>>;  ///< [row of W_V][kind]

/// score_ij = level·m·S_j + parity·p·(−1)^{i+j} + position·j after division by √d_k and τ, computed without rounding.
struct ExactScores {
  enum class Grows { constant, i, n, power };
  Number position, level, parity;
  Grows level_grows = Grows::constant, parity_grows = Grows::constant;
  Number level_loss;         ///< relative error of m
  SparseMatrix::Row levels;  ///< S_j up to a constant: the key divided by what multiplies it
  Number error;              ///< of a computed score: 0 but for layer normalisation
};
using Grows = ExactScores::Grows;

class HeadCheck {
 public:
  HeadCheck(const Claim& claim, const Facts& facts, const model::Head& head);
  Line derive(Results& results);

 private:
  struct Product {
    SparseMatrix::Row q, k;
  };

  // head.cpp
  SparseMatrix::Row in_format(const SparseMatrix::Row& row) const;
  Role role(std::uint32_t column) const { return facts_[0][column].role; }
  bool known(const Fact& fact, double x) const;
  bool constantly(std::uint32_t column, double x) const;
  bool alternates(std::uint32_t column) const;  ///< exactly (−1)^i
  Number worst_relative(std::uint32_t column) const;
  std::array<Fact, kKinds> values(std::size_t l) const;  ///< row l of W_V as stored: whole everywhere
  bool alone(int kind) const;                            ///< the head sees that position alone
  Number after_division(const Number& error, const Number& size, bool whole = false) const;
  Number compounded(const Number& count) const;  ///< (1+u)^count − 1
  Number mixing_error(const Number& mass, const std::optional<Number>& sums) const;
  void retrieve(std::array<Fact, kKinds>& result, std::size_t l, const Number& mass, Line& line,
                const std::optional<Number>& sums = {}) const;
  template <class Visit>
  void for_kinds(Visit visit) const {
    for (int kind = 0; kind < kKinds; ++kind)
      if (occurs(kind, claim_.longest)) visit(kind, facts_[static_cast<std::size_t>(kind)]);
  }

  Line uniform(Results& results);
  Fact mean_of(int kind, const std::array<Fact, kKinds>& v, const Number& low, const Number& high, const Number& off,
               bool first, bool last, double sign) const;
  Number sum_error(const Number& size, bool reciprocal, bool whole) const;
  Share share_of(const std::array<Fact, kKinds>& v) const;

  Line tie_break(Results& results);
  void two_levels(const SparseMatrix::Row& levels) const;
  bool parity_decides(const SparseMatrix::Row& levels) const;
  Number score_error(bool squared) const;

  Line lookup(Results& results);
  Number query_factor(const SparseMatrix::Row& q) const;
  Number key_factor() const;
  Number sum_factor() const;
  Number largest_factor() const;
  /// The key at distance d from the one meant weighs at most about lift·x^{d²}; all others together at most `mass`.
  struct Fall {
    Number x, lift, mass;
    Number excess;  ///< twice the greatest error of a score
  };
  void need_lookup_keys() const;
  bool looks_one_further() const;
  Number lookup_sharpness() const;
  Fall lookup_fall(const Number& sharp, bool one_further) const;
  Number looked_up_index_error(const Fall& fall) const;

  class ScoreReader;
  ExactScores exact_scores() const;

  Line neighbour(Results& results);
  Line nearest(Results& results);
  Line any(Results& results);
  int looks() const;
  bool covers(Grows grows) const;
  Number tied_error(const Number& ratio, std::optional<Number> vanish_from, bool normalised_first) const;

  Line sign(Results& results);
  class SignQuery;
  double sign_unit() const;
  Number sign_error(const Number& gap) const;
  Number falling_error(const Number& ratio, const Number& gamma, const Number& keys) const;

  Line sink(Results& results);
  bool cancels(const SparseMatrix::Row& row, const std::vector<Fact>& facts) const;

  const Claim& claim_;
  const Facts& facts_;
  const model::Head& head_;
  Number n_, u_;
  Number tiny_;  ///< what an exp below the normal range can be off by: two of the smallest numbers
  double scale_ = 1;
  std::vector<Product> products_;
};

}  // namespace quench::check
