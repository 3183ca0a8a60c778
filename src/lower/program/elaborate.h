// A program as Boolean operations and attention over bits: shared by the lowering to attention and by the translation
// to temporal logic, which differ in what a bit is and what attention does.
//
// A symbol becomes one bit per value it can take, of which exactly one holds (a symbol that no rule mentions: none
// does); so does an integer without vectors, such as `p(i) + q(i)`, whose values are few.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "lang/program.h"
#include "lower/program/partition.h"

namespace quench::lower {

/// A value that takes finitely many values, coded as in oracle/program.h. A Boolean has the one case 1.
template <class T>
struct Finite {
  std::map<std::int64_t, T> cases;
};

class Elaboration : public BooleanAlgebra {
 public:
  explicit Elaboration(const lang::Program& program)
      : program_(program), partitions_(*this), vectors_(program.vector_count()) {}

  /// Every vector the output depends on, in order. Throws DiagnosticError (E121, E122).
  void run();
  const Finite<Bit>& vector(lang::VectorId id) const { return vectors_[id.index]; }

 protected:
  using Terms = std::vector<Partitions::Term>;
  struct Retrieved {
    Bit found;
    std::vector<Bit> values;  ///< meaningful where something is found
  };

  virtual Bit symbol(Symbol symbol) = 0;  ///< of the input
  /// The values at the leftmost or rightmost j within reach with Σ x(i)·y(j) = 1.
  virtual Retrieved attend(const lang::Attention& attention, const Terms& score, const std::vector<Bit>& values,
                           const std::string& name) = 0;
  /// Names a bit for people.
  virtual void name(Bit, const std::string&) {}
  /// What only S-RASP has.
  virtual void integer_vector(lang::VectorId id);
  virtual void score_vector(lang::VectorId id);
  virtual Bit compare(lang::ExpressionId id, const lang::Compare& comparison);
  virtual bool finite(lang::ExpressionId integer) const;
  virtual Retrieved attend_equal(const lang::Attention& attention, const std::vector<Bit>& values,
                                 const std::string& name);

  const lang::Program& program_;
  Partitions partitions_;

  const Finite<Bit>& local(lang::ExpressionId id);
  /// A condition on both positions. Reports too many cases.
  const Partition& condition(lang::ExpressionId id) { return mixed(id).cases.at(1); }
  /// A(i) = B(j), of integers that are not finite.
  bool is_integer_equality(lang::ExpressionId id) const;
  bool has_equality(const lang::Attention& attention) const;
  /// Throws DiagnosticError (E125) unless integers of both positions are only compared as has_equality allows.
  void check_score(const lang::Attention& attention) const;
  [[noreturn]] void integers_of_two_positions(lang::ExpressionId id) const;
  /// The parts of a score, conjoined: what the top `and`s join.
  std::vector<lang::ExpressionId> conjuncts(lang::ExpressionId score) const;
  Bit choose(Bit condition, Bit yes, Bit no);

 private:
  struct LocalOps;
  struct MixedOps;
  template <class Ops>
  struct Combiner;
  template <class Ops>
  Finite<typename Ops::Value> combine(Ops& ops, lang::ExpressionId id);
  template <class Ops>
  typename Ops::Value case_of(Ops& ops, const Finite<typename Ops::Value>& finite, lang::Sort sort, std::int64_t value);

  const Finite<Partition>& mixed(lang::ExpressionId id);
  Finite<Partition> lifted(lang::ExpressionId id);
  void attention(lang::VectorId id, const lang::Attention& attention);
  bool is_mixed(lang::ExpressionId id) const;
  [[noreturn]] void too_many(lang::ExpressionId id) const;

  std::vector<Finite<Bit>> vectors_;
  std::unordered_map<std::uint32_t, Finite<Bit>> local_;
  std::unordered_map<std::uint32_t, Finite<Partition>> mixed_;
};

}  // namespace quench::lower
