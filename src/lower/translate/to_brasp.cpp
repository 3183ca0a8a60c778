// p since q, closed interval, is decided at the nearest position where ¬p ∨ q; so are its relatives (lower/paper/since.cpp).
// The default takes the place of "nothing selected".
#include "lower/translate/translate.h"

#include "base/error.h"
#include "base/overloaded.h"
#include "lang/print/print.h"

namespace quench::lower {
namespace {

using namespace lang;

class ToBrasp {
 public:
  explicit ToBrasp(const Formula& formula) : formula_(formula), vectors_(formula.size()), uses_(formula.size()) {}

  Program run() {
    program_.alphabet = formula_.alphabet;
    const std::vector<bool> reachable = formula_.reachable();
    for (std::size_t k = 0; k < formula_.size(); ++k)
      if (reachable[k]) formula_.for_each_child(FormulaId(k), [&](FormulaId child) { ++uses_[child.index]; });
    for (std::size_t k = 0; k < formula_.size(); ++k)
      if (reachable[k]) translate(FormulaId(k));
    program_.output = define("out", Pointwise{at(formula_.root, At::i)});
    return std::move(program_);
  }

 private:
  /// A subformula read at i or j: its vector, or, for what is short and used once, the expression itself.
  struct Reading {
    ExpressionId i, j;
  };

  ExpressionId at(FormulaId id, At position) const {
    const Reading& reading = vectors_[id.index];
    return position == At::i ? reading.i : reading.j;
  }

  VectorId define(std::string name, Definition definition) {
    return program_.add(Vector{std::move(name), Sort::boolean, definition, {}});
  }
  Reading read(VectorId vector) {
    return {program_.add(VectorAt{vector, At::i}), program_.add(VectorAt{vector, At::j})};
  }
  Reading both(auto make) { return {program_.add(make(At::i)), program_.add(make(At::j))}; }

  void translate(FormulaId id) {
    constexpr std::uint64_t kLongest = 200;
    Reading reading =
        std::visit(Overloaded{[&](const Constant& x) { return both([&](At) { return BooleanConstant{x.value}; }); },
                              [&](const SymbolAtom& x) {
                                const ExpressionId symbol = program_.add(SymbolConstant{x.symbol});
                                return both([&](At p) { return SameSymbol{program_.add(Input{p}), symbol}; });
                              },
                              [&](const Unary& x) { return unary(x); }, [&](const Binary& x) { return binary(x); },
                              [&](const auto&) -> Reading { counting(id); }},
                   formula_[id]);
    const bool vector = std::holds_alternative<VectorAt>(program_[reading.i]);
    if (!vector && (program_.length(reading.i) > kLongest || (uses_[id.index] > 1 && program_.length(reading.i) > 3)))
      reading = read(define(fresh(), Pointwise{reading.i}));
    vectors_[id.index] = reading;
  }

  [[noreturn]] void counting(FormulaId id) const {
    throw DiagnosticError({Diagnostic{"E124",
                                      "B-RASP has no counts and no numerical predicates",
                                      formula_.span(id),
                                      {"S-RASP does: write `psum j [j <= i] …`"}}});
  }

  std::string fresh() { return "p" + std::to_string(++count_); }

  Reading attend(Side side, Reach reach, ExpressionId score, ExpressionId value, bool otherwise) {
    return read(define(fresh(), Attention{side, reach, score, value, truth(otherwise)}));
  }
  ExpressionId truth(bool value) { return program_.add(BooleanConstant{value}); }
  ExpressionId negated(ExpressionId x) { return program_.add(Negation{x}); }

  Reading unary(const Unary& x) {
    const ExpressionId p = at(x.arg, At::j);
    using enum Operator;
    switch (x.op) {
      case not_:
        return both([&](At position) { return Negation{at(x.arg, position)}; });
      case previous:
        return attend(Side::rightmost, Reach::before, truth(true), p, false);
      case next:
        return attend(Side::leftmost, Reach::after, truth(true), p, false);
      case weak_previous:
        return attend(Side::rightmost, Reach::before, truth(true), p, true);
      case weak_next:
        return attend(Side::leftmost, Reach::after, truth(true), p, true);
      case once:
        return attend(Side::rightmost, Reach::up_to, p, truth(true), false);
      case historically:
        return attend(Side::rightmost, Reach::up_to, negated(p), truth(false), true);
      case eventually:
        return attend(Side::leftmost, Reach::from, p, truth(true), false);
      case always:
        return attend(Side::leftmost, Reach::from, negated(p), truth(false), true);
      QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
      break;
    }
    internal_error("unary operator", __FILE__, __LINE__);
  }

  Reading binary(const Binary& x) {
    const ExpressionId p = at(x.left, At::j), q = at(x.right, At::j);
    const auto join = [&](Connective op) {
      return both([&](At position) { return Connection{op, at(x.left, position), at(x.right, position)}; });
    };
    const auto either = [&](ExpressionId a, ExpressionId b) { return program_.add(Connection{Connective::or_, a, b}); };
    const ExpressionId p_and_q = program_.add(Connection{Connective::and_, p, q});
    using enum Operator;
    switch (x.op) {
      case and_:
        return join(Connective::and_);
      case or_:
        return join(Connective::or_);
      case implies:
        return join(Connective::implies);
      case iff:
        return join(Connective::iff);
      case xor_:
        return join(Connective::xor_);
      case since:
        return attend(Side::rightmost, Reach::up_to, either(negated(p), q), p_and_q, false);
      case until:
        return attend(Side::leftmost, Reach::from, either(negated(p), q), p_and_q, false);
      case standard_since:
        return attend(Side::rightmost, Reach::up_to, either(negated(p), q), q, false);
      case standard_until:
        return attend(Side::leftmost, Reach::from, either(negated(p), q), q, false);
      case weak_until:
        return attend(Side::leftmost, Reach::from, either(negated(p), q), q, true);
      case release:
        return attend(Side::leftmost, Reach::from, either(negated(q), p), q, true);
      QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
      break;
    }
    internal_error("binary operator", __FILE__, __LINE__);
  }

  const Formula& formula_;
  Program program_;
  std::vector<Reading> vectors_;
  std::vector<int> uses_;
  int count_ = 0;
};

}  // namespace

Program to_brasp(const Formula& formula) { return ToBrasp(formula).run(); }

}  // namespace quench::lower
