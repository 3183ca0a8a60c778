#include "parse/formula/builder.h"

#include <utility>

#include "parse/text/codes.h"

namespace quench::parse {
namespace {

// A `let` lets a short text stand for very long terms; nobody means this many summands.
constexpr std::size_t kMaxCopiedParts = 4'000'000;

Span join(Span a, Span b) { return {a.begin, b.end}; }

bool begins_line(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(" \t", at - 1);
  return before != std::string_view::npos && text[before] == '\n';
}

Value broken(Span span) { return {.sort = Sort::broken, .span = span, .formula = {}, .term = nullptr}; }

Value term_value(std::shared_ptr<LinearTerm> term, Span span) {
  return {.sort = Sort::term, .span = span, .formula = {}, .term = std::move(term)};
}

}  // namespace

Value Builder::atom(const lang::Node& node, Span span) {
  return {.sort = Sort::formula, .span = span, .formula = formula_.add(node, span), .term = nullptr};
}

Value Builder::number(std::uint64_t value, Span span) {
  auto term = std::make_shared<LinearTerm>();
  term->constant = value;
  return term_value(std::move(term), span);
}

Value Builder::unary(lang::Operator op, Span op_span, Value argument) {
  const Span span = join(op_span, argument.span);
  if (!is_formula(argument, op_span, "")) return broken(span);
  return atom(lang::Unary{op, argument.formula}, span);
}

Value Builder::binary(lang::Operator op, Span op_span, Value left, Value right) {
  const Span span = join(left.span, right.span);
  const std::string hint = op == lang::Operator::iff ? "numbers are compared with `=`" : "";
  const bool left_ok = is_formula(left, op_span, hint);
  const bool right_ok = is_formula(right, op_span, hint);
  if (!left_ok || !right_ok) return broken(span);
  return atom(lang::Binary{op, left.formula, right.formula}, span);
}

Value Builder::comparison(lang::Relation relation, Span op_span, Value left, Value right) {
  const Span span = join(left.span, right.span);
  std::string hint;
  if (relation == lang::Relation::equal) hint = "two formulas are compared with `<->`";
  if (relation == lang::Relation::not_equal) hint = "two formulas are compared with `xor`";
  if (!is_term(left, op_span, hint) || !is_term(right, op_span, hint)) return broken(span);
  const lang::TermId left_id = intern(left);
  const lang::TermId right_id = intern(right);
  if (!left_id.valid() || !right_id.valid()) return broken(span);
  return atom(lang::Comparison{relation, left_id, right_id}, span);
}

Value Builder::negative(Span op_span, Value argument, bool minus) {
  const Span span = join(op_span, argument.span);
  if (!is_term(argument, op_span, minus ? "negation is written `!`" : "")) return broken(span);
  argument.span = span;
  if (!minus) return argument;
  auto term = own(argument);
  if (!term) return broken(span);
  if (!scale(*term, -1)) return too_large(span);
  return term_value(std::move(term), span);
}

Value Builder::sum(Span op_span, Value left, Value right, bool subtract) {
  const Span span = join(left.span, right.span);
  const std::string hint = begins_line(reporter_.text(), op_span.begin)
                               ? "a line that begins with this sign continues the one before; end that one with `;`"
                               : "";
  const bool left_ok = is_term(left, op_span, hint);
  const bool right_ok = is_term(right, op_span, "");
  if (!left_ok || !right_ok) return broken(span);
  // The shorter is added to the longer, so that any nesting of a long sum takes O(n log n).
  const bool swap = left.term->parts.size() < right.term->parts.size();
  const Value& shorter = swap ? left : right;
  if (shorter.term.use_count() > 1) copied_parts_ += shorter.term->parts.size();
  auto term = own(swap ? right : left);
  if (!term) return broken(span);
  bool fits = add(*term, *shorter.term, subtract);
  if (swap && subtract) fits = scale(*term, -1) && fits;
  return fits ? term_value(std::move(term), span) : too_large(span);
}

Value Builder::product(Span op_span, Value left, Value right) {
  const Span span = join(left.span, right.span);
  const bool left_ok = is_term(left, op_span, "conjunction is written `&`");
  const bool right_ok = is_term(right, op_span, "conjunction is written `&`");
  if (!left_ok || !right_ok) return broken(span);
  const bool constant_left = left.term->parts.empty();
  if (!constant_left && !right.term->parts.empty()) {
    reporter_.add(
        code::kNotLinear, op_span, "a product of two counts is not linear",
        {"one factor must be a number, as in `2*#<[Q_a]`",
         "a relation between two counts that is not linear cannot be expressed; a predicate of one count can: "
         "`pred p(x) = x*x > 9`"});
    return broken(span);
  }
  const LinearTerm& constant = constant_left ? *left.term : *right.term;
  const Int128 factor = constant.negative ? -constant.constant : constant.constant;
  auto term = own(constant_left ? right : left);
  if (!term) return broken(span);
  return scale(*term, factor) ? term_value(std::move(term), span) : too_large(span);
}

Value Builder::count(lang::Scope scope, Span span, Value argument) {
  if (!is_formula(argument, {span.begin, argument.span.begin}, "")) return broken(span);
  auto term = std::make_shared<LinearTerm>();
  term->parts.push_back({lang::Count{scope, argument.formula}, 1, span.begin});
  return term_value(std::move(term), span);
}

Value Builder::application(lang::PredicateId predicate, Span span, Value argument) {
  if (argument.sort == Sort::broken) return broken(span);
  if (argument.sort == Sort::term) {
    const lang::TermId id = intern(argument);
    if (!id.valid()) return broken(span);
    const lang::Term& term = formula_[id];
    if (term.constant == 0 && term.parts.size() == 1 && term.parts.front().coefficient == 1)
      return atom(lang::CountPredicate{predicate, term.parts.front().count}, span);
    if (residue_class(formula_[predicate])) return atom(lang::Congruence{predicate, id}, span);
  }
  std::vector<std::string> notes{"write for example `odd(#<[Q_a])`; of the position itself, `odd` alone"};
  if (argument.sort == Sort::term)
    notes.push_back(
        "of sums there are only `odd`, `even` and `mod(m,r)`; a predicate `pred p(x) = …` may do arithmetic on one count");
  reporter_.add(code::kPredicateArgument, argument.span, "a numerical predicate applies to one count",
                std::move(notes));
  return broken(span);
}

bool Builder::is_formula(const Value& value, Span op_span, std::string hint) {
  if (value.sort == Sort::term) {
    if (hint.empty()) hint = "compare it to make a formula, as in `#<[Q_a] >= 1`";
    reporter_.add(code::kFormulaNeeded, value.span, reporter_.quote(op_span) + " needs a formula, but this is a number",
                  {std::move(hint)});
  }
  return value.sort == Sort::formula;
}

bool Builder::is_term(const Value& value, Span op_span, std::string hint) {
  if (value.sort == Sort::formula) {
    if (hint.empty()) hint = "count where the formula holds to make a number, as in `#<[Q_a]`";
    reporter_.add(code::kTermNeeded, value.span,
                  reporter_.quote(op_span) + " needs a number or a count, but this is a formula", {std::move(hint)});
  }
  return value.sort == Sort::term;
}

std::shared_ptr<LinearTerm> Builder::own(Value& value) {
  const bool shared = value.term.use_count() > 1;
  if (shared) copied_parts_ += value.term->parts.size();
  if (copied_parts_ <= kMaxCopiedParts)
    return shared ? std::make_shared<LinearTerm>(*value.term) : std::move(value.term);
  reporter_.add(code::kTooLarge, value.span, "the terms of this text, written out, are too large",
                {"a `let` that names a long sum is used too often inside other sums"});
  return nullptr;
}

lang::TermId Builder::intern(const Value& value) {
  LinearTerm& term = *value.term;
  if (term.interned.valid()) return term.interned;
  const auto normalised = normalise(term);
  if (!normalised) {
    too_large(value.span);
    return {};
  }
  return term.interned = formula_.add(*normalised);
}

Value Builder::too_large(Span span) {
  reporter_.add(code::kTooLarge, span, "a coefficient or constant of this term does not fit 64 bits",
                {"they range from -9223372036854775808 to 9223372036854775807"});
  return broken(span);
}

}  // namespace quench::parse
