// One attention as temporal logic. Within reach, with y what is looked for and v what is retrieved (S, U standard,
// non-strict; all checked against the definition in tests/lower):
//
//              j ≤ i                             j ≥ i
//   rightmost  ¬y S (y ∧ v)                      F (y ∧ v ∧ ¬⊕ F y)
//   leftmost   O (y ∧ v ∧ ¬⊖ O y)                ¬y U (y ∧ v)
//   exists     O y                               F y
//
// j < i puts ⊖ before, j > i puts ⊕; without a mask, the half that the tie-break prefers is asked first. A score of
// both positions is a sum over classes of i (lower/program/partition.h): one such formula per class, where the translation
// blows up.
#include <algorithm>

#include "base/error.h"
#include "lower/program/elaborate.h"
#include "lower/translate/translate.h"

namespace quench::lower {
namespace {

using namespace lang;

class ToLtl : public Elaboration {
 public:
  explicit ToLtl(const Program& program) : Elaboration(program) { formula_.alphabet = program.alphabet; }

  Formula translate() {
    if (program_.output_sort() != Sort::boolean)
      throw DiagnosticError({Diagnostic{"E124",
                                        "a formula is true or false at a position, but this program puts out a " +
                                            std::string(to_string(program_.output_sort())),
                                        program_[program_.output].span,
                                        {"translate a program whose output is Boolean"}}});
    run();
    formula_.root = node(vector(program_.output).cases.at(1));
    return std::move(formula_);
  }

  Bit truth(bool value) override { return bit(formula_.add(Constant{true})) ^ (value ? 0u : 1u); }
  Bit conjunction(std::vector<Bit> bits) override {
    const Bit yes = truth(true), no = truth(false);
    std::erase(bits, yes);
    std::sort(bits.begin(), bits.end());
    bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
    for (std::size_t k = 0; k < bits.size(); ++k)
      if (bits[k] == no || (k > 0 && bits[k] == negation(bits[k - 1]))) return no;
    if (bits.empty()) return yes;
    Bit result = bits[0];
    for (std::size_t k = 1; k < bits.size(); ++k) result = join(result, bits[k]);
    return result;
  }

 protected:
  Bit symbol(Symbol symbol) override { return bit(formula_.add(SymbolAtom{symbol})); }

  Retrieved attend(const Attention& attention, const Terms& score, const std::vector<Bit>& values,
                   const std::string&) override {
    std::vector<Bit> any;
    std::vector<std::vector<Bit>> parts(values.size());
    for (const Partitions::Term& term : score) {
      any.push_back(conjunction({term.x, found(attention, term.y)}));
      for (std::size_t v = 0; v < values.size(); ++v)
        parts[v].push_back(conjunction({term.x, value(attention, term.y, values[v])}));
    }
    Retrieved result{disjunction(std::move(any)), {}};
    for (auto& part : parts) result.values.push_back(disjunction(std::move(part)));
    return result;
  }

 private:
  static Bit bit(FormulaId id) { return id.index * 2; }
  FormulaId node(Bit b) {
    const FormulaId id(b / 2);
    return b & 1 ? formula_.add(Unary{Operator::not_, id}) : id;
  }
  Bit unary(Operator op, Bit x) { return bit(formula_.add(Unary{op, node(x)})); }
  Bit binary(Operator op, Bit x, Bit y) { return bit(formula_.add(Binary{op, node(x), node(y)})); }
  /// x ∧ y, where both are negations as ¬(x ∨ y).
  Bit join(Bit x, Bit y) {
    if ((x & 1) && (y & 1)) return negation(binary(Operator::or_, negation(x), negation(y)));
    return binary(Operator::and_, x, y);
  }

  Bit found(const Attention& attention, Bit y) {
    const Bit past = unary(Operator::once, y), future = unary(Operator::eventually, y);
    switch (attention.reach) {
      case Reach::up_to:
        return past;
      case Reach::from:
        return future;
      case Reach::before:
        return unary(Operator::previous, past);
      case Reach::after:
        return unary(Operator::next, future);
      case Reach::all:
        return disjunction({past, future});
    }
    return past;
  }

  Bit value(const Attention& attention, Bit y, Bit v) {
    const bool right = attention.side == Side::rightmost;
    const Bit hit = conjunction({y, v});
    if (hit == truth(false)) return hit;
    const auto past = [&] {
      if (right) return binary(Operator::standard_since, negation(y), hit);
      return unary(Operator::once, conjunction({hit, negation(unary(Operator::previous, unary(Operator::once, y)))}));
    };
    const auto future = [&] {
      if (!right) return binary(Operator::standard_until, negation(y), hit);
      return unary(Operator::eventually,
                   conjunction({hit, negation(unary(Operator::next, unary(Operator::eventually, y)))}));
    };
    switch (attention.reach) {
      case Reach::up_to:
        return past();
      case Reach::from:
        return future();
      case Reach::before:
        return unary(Operator::previous, past());
      case Reach::after:
        return unary(Operator::next, future());
      case Reach::all:
        break;
    }
    if (right) {
      const Bit beyond = unary(Operator::next, unary(Operator::eventually, y));
      return choose(beyond, unary(Operator::next, future()), past());
    }
    const Bit before = unary(Operator::previous, unary(Operator::once, y));
    return choose(before, unary(Operator::previous, past()), future());
  }

  Formula formula_;
};

}  // namespace

Formula to_ltl(const Program& program) { return ToLtl(program).translate(); }

}  // namespace quench::lower
