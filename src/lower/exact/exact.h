// Constructions that are exact for words of at most N = 2^L symbols: bits of the position, scores that are whole
// multiples of Γ, losers that underflow, counts that are whole numbers. Two flavours: one for all masks, and a decoder,
// in which nothing depends on n. Proofs: docs/theory-exact.md. Files: exact.cpp (bits, ends, what is retrieved),
// address.cpp (keys by their bits), match.cpp (⊖ ⊕, since, until, existence), count.cpp (sums over positions),
// comparison.cpp, residue.cpp (κ mod m), theta.cpp (θ of a count).
#pragma once

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

 private:
  // exact.cpp
  enum class Number : std::uint8_t { before, after, length };  ///< i − 1, n − i, n
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

  // match.cpp
  static ir::Head::Product times_power(double factor, ir::Affine key, int exponent);
  /// `value` at the one key where `fits` and the position, towards the end that `direction` looks from, are greatest.
  ir::Literal match(Mask mask, Direction direction, ir::Head::Product fits, ir::Literal value, const std::string& name,
                    const std::string& label);
  /// `value` at the nearest visible key where `selected` holds; at the nearest of all, if there is none.
  ir::Literal selected_match(lang::Scope scope, ir::Literal selected, ir::Literal value, const std::string& label);

  // count.cpp
  ir::HeadId block(lang::Scope scope, int t, int low);
  ir::Literal elsewhere(lang::Scope scope, ir::Literal of);  ///< φ', which is false at the sink
  ir::Affine sum_of(const std::vector<WeightedCount>& counts, const std::string& label);

  // comparison.cpp
  ir::Literal any_of(const std::vector<WeightedCount>& counts, const std::string& label);

  // residue.cpp
  /// values[z], of a whole number z.
  ir::NodeId function_of(const ir::Affine& z, const std::vector<double>& values, bool boolean,
                         const std::string& label);
  ir::Literal residue(std::int64_t modulus, std::int64_t rest, lang::Scope scope, ir::Literal of,
                      const std::string& label);

  // theta.cpp
  std::vector<ir::Affine> upper_bits(ir::Affine& y, int low, const std::string& label);
  ir::Affine low_square(int low);

  int bits_;       ///< L
  double length_;  ///< N = 2^L
};

}  // namespace quench::lower
