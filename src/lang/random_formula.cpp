#include "lang/random_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "lang/canonical.h"
#include "lang/operators.h"

namespace quench::lang {
namespace {

class Generator {
 public:
  Generator(Random& random, const RandomFormulaOptions& options) : random_(random), options_(options) {
    for (int k = 0; k < options.symbols; ++k) formula_.alphabet.intern(symbol_name(k));
    collect_operators();
    collect_predicates();
  }

  /// Grows upwards: `open_` holds the formulas that nothing uses yet. Each step puts an operator on one or two of them,
  /// and the operators left always suffice to join those that remain.
  Formula run() {
    // Few leaves to start with make a deep formula, many a bushy one.
    for (std::int64_t leaves = random_.between(1, 1 + std::max(options_.operators, 0) / 3); leaves > 0; --leaves)
      open_.push_back(leaf());
    for (int left = std::max(options_.operators, 0); left > 0; --left) {
      const bool must_join = static_cast<int>(open_.size()) > left;
      if (!must_join && random_.chance(0.25)) open_.push_back(leaf());
      open_.push_back(static_cast<int>(open_.size()) > left ? join() : grow());
    }
    formula_.root = open_.front();
    return std::move(formula_);
  }

 private:
  /// a, b, …, z, then s26, s27, …
  static std::string symbol_name(int k) {
    return k < 26 ? std::string(1, static_cast<char>('a' + k)) : fmt::format("s{}", k);
  }

  void collect_operators() {
    const Fragment& may = options_.fragment;
    const auto allowed = [&](Modality modality) {
      switch (modality) {
        case Modality::none:
          return true;
        case Modality::previous:
          return may.previous;
        case Modality::next:
          return may.next;
        case Modality::since:
          return may.since;
        case Modality::until:
          return may.until;
      }
      return false;
    };
    for (const OperatorFacts& row : all_operators()) {
      if (!allowed(row.modality)) continue;
      std::vector<Operator>& list = row.arity == 1 ? unary_ : binary_;
      // Temporal operators more often than their share: they are what is tested.
      list.insert(list.end(), row.modality == Modality::none ? 1 : 2, row.op);
    }
    if (may.count_left) scopes_.push_back(Scope::left);
    if (may.count_right) scopes_.push_back(Scope::right);
    if (may.count_all) scopes_.push_back(Scope::all);
  }

  void collect_predicates() {
    using Kind = Predicate::Kind;
    const auto plain = [&](Kind kind, const char* name) {
      Predicate predicate;
      predicate.kind = kind;
      predicate.name = name;
      predicates_.push_back(std::move(predicate));
      return &predicates_.back();
    };
    plain(Kind::odd, "odd");
    plain(Kind::even, "even");
    plain(Kind::prime, "prime");
    plain(Kind::square, "square");
    plain(Kind::cube, "cube");
    plain(Kind::pow2, "pow2");
    plain(Kind::triangular, "triangular");
    plain(Kind::fibonacci, "fibonacci");
    plain(Kind::first, "first");
    Predicate* mod = plain(Kind::mod, "mod(3,1)");
    mod->modulus = 3;
    mod->residue = 1;
    plain(Kind::set, "some")->members = {0, 2, 3, 7};
    using Step = IntInstruction::Op;
    // x*x % 5 = 1
    plain(Kind::expression, "residue")->code = {{Step::x, 0},        {Step::x, 0},      {Step::multiply, 0},
                                                {Step::constant, 5}, {Step::modulo, 0}, {Step::constant, 1},
                                                {Step::equal, 0}};
    if (!options_.fragment.length_predicate) return;
    plain(Kind::last, "last");
    // x*x <= n
    plain(Kind::expression, "below_root")->code = {
        {Step::x, 0}, {Step::x, 0}, {Step::multiply, 0}, {Step::n, 0}, {Step::less_equal, 0}};
  }

  FormulaId leaf() {
    if (options_.fragment.position_predicate && random_.chance(0.2))
      return formula_.add(PositionPredicate{formula_.add(pick(predicates_))});
    if (options_.symbols == 0 || random_.chance(0.04)) return formula_.add(Constant{random_.chance(0.5)});
    return formula_.add(SymbolAtom{static_cast<Symbol>(random_.below(static_cast<std::uint64_t>(options_.symbols)))});
  }

  FormulaId grow() {
    const bool counts = !scopes_.empty() && random_.chance(0.35);
    if (counts) return comparison();
    if (options_.fragment.count_predicate && !count_scopes().empty() && random_.chance(0.15)) {
      if (random_.chance(0.4)) return congruence();
      const Count count{pick(count_scopes()), take()};
      return formula_.add(CountPredicate{formula_.add(pick(predicates_)), count});
    }
    if (random_.chance(0.45)) return formula_.add(Unary{pick(unary_), take()});
    return join();
  }

  FormulaId join() {
    const FormulaId left = take();
    const FormulaId right = open_.empty() ? leaf() : take();
    return formula_.add(Binary{pick(binary_), left, right});
  }

  FormulaId comparison() {
    std::map<Count, std::int64_t> sides[2];
    const std::size_t parts = 1 + random_.below(3);
    for (std::size_t k = 0; k < parts; ++k) {
      const FormulaId of = open_.empty() || (k > 0 && random_.chance(0.5)) ? leaf() : take();
      std::int64_t& coefficient = sides[random_.below(2)][Count{pick(scopes_), of}];
      const std::int64_t size = random_.between(1, std::max(options_.max_coefficient, 1));
      coefficient += random_.chance(0.5) ? size : -size;
      if (coefficient == 0) coefficient = 1;  // or the formula it counts would be lost
    }
    const auto relation = static_cast<Relation>(random_.below(6));
    const TermId left = term(sides[0]);
    const TermId right = term(sides[1]);
    return formula_.add(Comparison{relation, left, right});
  }

  FormulaId congruence() {
    std::map<Count, std::int64_t> counts;
    for (std::size_t k = 0; k < 2; ++k) {
      const FormulaId of = open_.empty() || (k > 0 && random_.chance(0.5)) ? leaf() : take();
      counts[Count{pick(count_scopes()), of}] = random_.chance(0.5) ? 2 : -1;
    }
    std::vector<Predicate> with_residues;
    for (const Predicate& predicate : predicates_)
      if (residue_class(predicate)) with_residues.push_back(predicate);
    const PredicateId predicate = formula_.add(pick(with_residues));
    return formula_.add(Congruence{predicate, term(counts)});
  }

  TermId term(const std::map<Count, std::int64_t>& coefficients) {
    Term result;
    for (const auto& [count, coefficient] : coefficients) result.parts.push_back({coefficient, count});
    result.constant = random_.between(-options_.max_coefficient, options_.max_coefficient);
    return formula_.add(result);
  }

  /// A count predicate needs a scope even where comparisons are not wanted.
  std::vector<Scope> count_scopes() const { return scopes_.empty() ? std::vector{Scope::left} : scopes_; }

  FormulaId take() {
    const std::size_t at = random_.below(open_.size());
    std::swap(open_[at], open_.back());
    const FormulaId id = open_.back();
    open_.pop_back();
    return id;
  }

  template <class T>
  T pick(const std::vector<T>& from) {
    return from[random_.below(from.size())];
  }

  Random& random_;
  const RandomFormulaOptions& options_;
  Formula formula_;
  std::vector<Operator> unary_, binary_;
  std::vector<Scope> scopes_;
  std::vector<Predicate> predicates_;
  std::vector<FormulaId> open_;
};

}  // namespace

Formula random_formula(Random& random, const RandomFormulaOptions& options) {
  return canonical(Generator(random, options).run());
}

}  // namespace quench::lang
