// Constructions that are exact for words of at most N = 2^L symbols: bits of the position, scores that are whole
// multiples of Γ, losers that underflow, counts that are whole numbers. Two flavours: one for all masks, and a decoder,
// in which nothing depends on n. Proofs: docs/theory-exact.md. Files: exact.cpp (bits, ends, what is retrieved),
// address.cpp (keys by their bits), match.cpp (⊖ ⊕, since, until, existence), penalty.cpp (equal Booleans in long
// words), count.cpp (sums over positions), limbs.cpp (sums of large numbers), shift.cpp (counts at the neighbour),
// comparison.cpp, residue.cpp (κ mod m), lookup.cpp (bits of whole numbers, positions by their number), theta.cpp (θ of
// a count), digits.cpp (the same in half formats), whole.cpp (arithmetic of whole numbers), choice.cpp (one of
// several). What is public beside the operators of the logic is for programs and automata.
#pragma once

#include <unordered_map>

#include "lower/constructions.h"

namespace quench::lower {

class ExactConstructions final : public Constructions {
 public:
  ExactConstructions(ir::Graph& graph, const Recipe& recipe, const Tuning& tuning);

  ir::Literal neighbour(Direction direction, ir::Literal phi, const std::string& label) override;
  ir::Literal nearest(Direction direction, ir::Literal selected, ir::Literal value, const std::string& label) override;
  double assured_length() const override { return length_; }
  double double_length(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign) const override;
  ir::Literal linear(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign,
                     const std::string& label) override;
  ir::Literal predicate_of(const Predicate& theta, lang::Scope scope, ir::Literal of,
                           const std::string& label) override;

  // exact.cpp
  enum class Number : std::uint8_t { before, after, others };  ///< i − 1, n − i, n − 1: all of them below N
  ir::Literal encoding(const Predicate& predicate);
  ir::Literal bit(Number of, int b);
  ir::Literal first();
  ir::Literal last();
  /// A Boolean that is exactly 0 or 1 where it stands.
  ir::Literal exactly(const ir::Affine& x, const std::string& label);

  // address.cpp
  /// Which keys fit: `asked` pairs of Booleans are equal, `fixed` Booleans of the key hold.
  struct Address {
    struct Pair {
      ir::Affine query, key;
    };
    std::vector<Pair> asked;
    std::vector<ir::Literal> fixed;
    /// Where `unless` does not hold at the query, the key `at` wins.
    struct Sink {
      ir::Literal unless, at;
    };
    std::optional<Sink> sink;
  };
  ir::Head::Product constant_part(const Address& address) const;
  ir::HeadId address(Mask mask, const Address& address, HeadStructure structure, Lemma lemma, const std::string& name);
  ir::HeadId at_end(lang::Scope scope);  ///< the first position; for #→, the last
  /// [Q-half]: where bit k of i − 1 is set, the last position of the aligned block of 2^k before i's; the first
  /// elsewhere.
  ir::HeadId half(int k);
  /// The same, and i itself elsewhere: a head without a sink, for formats with few bits. Who loses is
  /// at least `gap` behind.
  ir::HeadId half_or_itself(int k, double gap);

  // match.cpp
  /// The nearest visible key where `selected` holds, seen from the end that `direction` looks from; the nearest of all,
  /// if there is none.
  ir::HeadId selected_match(Mask mask, Direction direction, ir::Literal selected, const std::string& name);
  /// The nearest among the visible keys at which the fewest pairs of Booleans differ; not to be `selected` counts as
  /// one.
  ir::HeadId equal_match(Mask mask, Direction direction, const std::vector<Address::Pair>& pairs, ir::Literal selected,
                         const std::string& name);
  ir::HeadId neighbour(Direction direction);  ///< at the end of the word, the position itself

  // penalty.cpp
  /// Whether words are too long for the scores of equal_match to be exact, so that penalised_match takes its place.
  bool penalises() const;
  void use_penalties(bool penalises) { penalises_ = penalises; }  ///< whatever the length
  /// The end of the word that every row sees and no penalty is laid on.
  ir::Literal sink(Mask mask, Direction direction);
  /// Whether that end is also the one that `direction` looks from, so that it has to be asked by itself whether it
  /// fits.
  static bool sink_is_nearest(Mask mask, Direction direction);
  /// The same as equal_match wherever a key but the sink fits, and otherwise the sink. At the sink, the keys' Booleans
  /// are false. [Q-penalty]
  ir::HeadId penalised_match(Mask mask, Direction direction, const std::vector<Address::Pair>& pairs,
                             ir::Literal selected, const std::string& name);
  /// The number x, but at that end less than 0.
  ir::Affine below_zero_at(ir::Literal end, const ir::Affine& x);

  // count.cpp
  /// Σ coefficient·count, a whole number.
  ir::Affine sum_of(const std::vector<WeightedCount>& counts, const std::string& label);

  // limbs.cpp
  struct Summand {
    ir::Literal of;
    double coefficient;
  };
  /// A whole number as a sum of Booleans: itself, if it is one, or its bits and those of its opposite.
  std::vector<Summand> summands(const ir::Affine& v, const std::string& label);
  /// The sum over positions of Σ coefficient·Boolean; without what position i itself adds if it is `strict`.
  ir::Affine sum_of(const std::vector<Summand>& summands, lang::Scope scope, bool strict, const std::string& label);
  /// The same, clipped to 0 … n+1. Nothing, if the numbers are too great for every format. [Q-limbs]
  std::optional<ir::Affine> clipped_sum(const std::vector<Summand>& summands, lang::Scope scope, bool strict,
                                        const std::string& label);

  // shift.cpp
  /// What the neighbour holds, if x is a sum of counts and Booleans; some whole number where there is none.
  std::optional<ir::Affine> shifted(Direction direction, const ir::Affine& x);

  // lookup.cpp
  /// The upper of `count` bits of y ≤ greatest, down to bit `low`, by b − low; what remains is left in y. y is a number
  /// less `taken_off`, for people. [Q-bits]
  std::vector<ir::Affine> upper_bits(ir::Affine& y, int low, double greatest, const std::string& label, int count,
                                     int taken_off = 1);
  /// The position with the number `address`, which is from 1 to n; for a decoder, from 1 to i.
  ir::HeadId lookup(const ir::Affine& address, Mask mask, Lemma lemma, const std::string& name);
  /// The position n + 1 − i.
  ir::HeadId mirrored();

  // residue.cpp
  /// [Q-blocks] with these levels, the lowest first, in place of those that serve half formats.
  void use_levels(std::vector<int> levels) { levels_ = std::move(levels); }

  // whole.cpp
  ir::Affine number(Number of);  ///< from its bits
  ir::Affine length() { return number(Number::others) + 1; }
  /// Within 1 … n; for a decoder, within 1 … i.
  ir::Affine clamped_position(const ir::Affine& x);
  ir::Literal not_negative(const ir::Affine& x, const std::string& label);
  /// x = 0, and all of the literals hold.
  ir::Literal zero(const ir::Affine& x, const std::vector<ir::Literal>& literals, const std::string& label);

  // choice.cpp
  struct Branch {
    std::vector<ir::Literal> conditions;  ///< that all hold
    ir::Affine value;
  };
  /// The value of the branch whose conditions hold; those of at most one do, and otherwise it is 0.
  ir::Affine choose(const std::vector<Branch>& branches, const std::string& label);

  int bits() const { return bits_; }

 private:
  // match.cpp
  double match_unit() const;  ///< U of temporal operators
  /// factor·2^exponent·key, of which up to 2^in_the_query is in the query.
  static ir::Head::Product times_power(double factor, ir::Affine key, int exponent, int in_the_query = 5);
  /// The key where `fits` and the position, towards the end that `direction` looks from, are greatest.
  ir::HeadId match(Mask mask, Direction direction, std::vector<ir::Head::Product> fits, double unit,
                   const std::string& name);

  // penalty.cpp
  ir::Range range_at(ir::Literal end, const ir::Affine& x);
  ir::Range range_at(ir::Literal end, ir::NodeId node);

  // count.cpp
  ir::Literal sink_of(lang::Scope scope) { return scope == lang::Scope::left ? first() : last(); }
  Address block_address(lang::Scope scope, int t, int low);
  ir::HeadId block(lang::Scope scope, int t, int low);
  ir::Literal elsewhere(lang::Scope scope, ir::Literal of);  ///< φ', which is false at the sink

  // shift.cpp
  double take_position(ir::Affine& x);
  std::optional<ir::Affine> shifted_clip(Direction direction, ir::NodeId node);

  // comparison.cpp
  ir::Literal any_of(const std::vector<WeightedCount>& counts, const std::string& label);

  // residue.cpp
  /// Adds values[z], of a whole number z, to a function.
  static void append(ir::Piecewise& f, const ir::Affine& z, const std::vector<double>& values);
  /// values[z], of a whole number z.
  ir::NodeId function_of(const ir::Affine& z, const std::vector<double>& values, bool boolean,
                         const std::string& label);
  ir::Literal at_last(ir::Literal of, const std::string& label);  ///< what holds at the last position
  ir::Literal predicate_of_all(const Predicate& theta, lang::Scope scope, const std::string& label);  ///< θ(#[true])
  ir::Literal residue(std::int64_t modulus, std::int64_t rest, lang::Scope scope, ir::Literal of,
                      const std::string& label);

  // choice.cpp
  std::vector<Branch> possible(const std::vector<Branch>& branches);

  // lookup.cpp
  ir::Affine low_square(int low);

  // digits.cpp
  struct Digit {
    ir::Affine value;
    double most;
  };
  static int digit_level(const std::vector<Digit>& digits, int left);
  std::vector<Digit> carried(const std::vector<Digit>& sums, const std::string& label);
  std::vector<Digit> remaining_digits(lang::Scope scope, ir::Literal of, const std::string& label);
  std::vector<ir::Literal> bits_of(const std::vector<Digit>& digits, const std::string& label);
  ir::Literal predicate_by_digits(const Predicate& theta, lang::Scope scope, ir::Literal of, const std::string& label);

  int bits_;       ///< L
  double length_;  ///< N = 2^L
  std::optional<bool> penalises_;
  bool digits_;              ///< counts for predicates in digits, which half formats hold
  std::vector<int> levels_;  ///< of [Q-blocks], if they have been given
  /// What sum_of has made of counts of one scope, by node: what it adds up of position i.
  struct Count {
    lang::Scope scope;
    ir::Affine here;
  };
  std::unordered_map<std::uint32_t, Count> counts_;
};

}  // namespace quench::lower
