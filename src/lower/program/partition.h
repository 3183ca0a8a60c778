// Boolean functions of two positions, F(i,j), as sums over classes of i: F(i,j) = y_a(j) for the one class a that i is
// in. This is the form Σ_a x_a(i)·y_a(j) with mutually exclusive x_a that an attention score can take (docs/theory.md,
// B-RASP): a dot product whose value is 0 or 1.
//
// A class is a region of the values of a few variables of i: Booleans, or one-hots such as the symbol at i. Classes
// with the same y are one class, so a natural one-hot gives as many classes as it has values, not 2^that.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace quench::lower {

/// A Boolean of whoever is the algebra: 2·id, or 2·id+1 for its negation.
using Bit = std::uint32_t;

/// What Bits are made of: the attention IR, or formulas.
class BooleanAlgebra {
 public:
  virtual ~BooleanAlgebra() = default;
  virtual Bit truth(bool value) = 0;
  virtual Bit conjunction(std::vector<Bit> bits) = 0;
  static Bit negation(Bit bit) { return bit ^ 1u; }
  Bit disjunction(std::vector<Bit> bits) {
    for (Bit& bit : bits) bit = negation(bit);
    return negation(conjunction(std::move(bits)));
  }
};

/// A variable of i: exactly one of its cases holds.
struct Variable {
  std::vector<Bit> cases;
};

/// For some variables, the cases allowed; the others are free. Sorted by variable; no set is empty or everything.
struct Box {
  struct Side {
    std::size_t variable;
    std::vector<std::uint32_t> cases;
    friend bool operator==(const Side&, const Side&) = default;
  };
  std::vector<Side> sides;
};

struct Partition {
  struct Class {
    std::vector<Box> region;  ///< disjoint
    Bit y;
  };
  std::vector<Class> classes;  ///< the regions are disjoint and cover everything; the y differ
};

/// There are more classes than anyone could want.
struct TooManyClasses : std::runtime_error {
  TooManyClasses() : std::runtime_error("too many classes") {}
};
inline constexpr std::size_t kMostBoxes = 1024;

class Partitions {
 public:
  explicit Partitions(BooleanAlgebra& algebra) : algebra_(algebra) {}

  /// Of j alone.
  Partition of_key(Bit y) const { return {{{{Box{}}, y}}}; }
  /// Of i alone: case number `c` of a new or known variable.
  Partition of_query(const Variable& variable, std::uint32_t c);
  Partition negation(Partition p) const;
  Partition conjunction(const Partition& a, const Partition& b);
  Partition disjunction(const Partition& a, const Partition& b) {
    return negation(conjunction(negation(a), negation(b)));
  }

  struct Term {
    Bit x, y;
  };
  /// The classes as bits, those with y = false left out.
  std::vector<Term> terms(const Partition& p);

 private:
  std::size_t number_of(const Variable& variable);
  Bit bit_of(const Box& box);

  BooleanAlgebra& algebra_;
  std::vector<Variable> variables_;
};

}  // namespace quench::lower
