#include "automata/regex/expressions.h"

#include <algorithm>

#include "lang/regex.h"

namespace quench::automata {
namespace {

using Kind = Expression::Kind;

}  // namespace

Expressions::Expressions(std::size_t letters, const Limits& limits) : limits_(limits), letter_count_(letters) {
  nothing_ = intern({Kind::letters, {}, {}});
  anything_ = intern({Kind::all_but, {}, {nothing_}});
  empty_ = intern({Kind::empty, {}, {}});
}

bool Expressions::has_empty_word(const Expression& e) const {
  const auto part = [&](ExpressionId id) { return nullable(id); };
  switch (e.kind) {
    case Kind::letters:
      return false;
    case Kind::empty:
    case Kind::star:
      return true;
    case Kind::sequence:
    case Kind::both:
      return std::all_of(e.parts.begin(), e.parts.end(), part);
    case Kind::either:
      return std::any_of(e.parts.begin(), e.parts.end(), part);
    case Kind::all_but:
      return !nullable(e.parts[0]);
    case Kind::repeated:
      return e.least == 0 || nullable(e.parts[0]);
  }
  return false;
}

ExpressionId Expressions::intern(Expression expression) {
  const ExpressionId id = pool_.intern(expression);
  if (id.index < nullable_.size()) return id;
  nullable_.push_back(has_empty_word(expression));
  size_ += 1 + expression.parts.size() + expression.letters.size();
  check_limit(size_, limits_.expression, "expression", "parts of the derivatives of a regular expression");
  return id;
}

ExpressionId Expressions::letters(std::vector<lang::Letter> letters) {
  return intern({Kind::letters, std::move(letters), {}});
}

ExpressionId Expressions::sequence(ExpressionId left, ExpressionId right) {
  // (r s) t is r (s t): the factors of the left side go in front of the right side, the last one first.
  std::vector<ExpressionId> factors;
  for (; pool_[left].kind == Kind::sequence; left = pool_[left].parts[1]) factors.push_back(pool_[left].parts[0]);
  factors.push_back(left);
  for (std::size_t k = factors.size(); k-- > 0;) {
    if (factors[k] == nothing_ || right == nothing_) return nothing_;
    if (factors[k] == empty_) continue;
    right = right == empty_ ? factors[k] : intern({Kind::sequence, {}, {factors[k], right}});
  }
  return right;
}

/// Flat, sorted, each part once, sets of letters united; `anything` and `nothing` are neutral or decide.
ExpressionId Expressions::joined(Kind kind, const std::vector<ExpressionId>& parts) {
  const ExpressionId neutral = kind == Kind::either ? nothing_ : anything_;
  const ExpressionId decides = kind == Kind::either ? anything_ : nothing_;
  std::vector<ExpressionId> flat;
  for (const ExpressionId part : parts) {
    if (pool_[part].kind == kind)
      flat.insert(flat.end(), pool_[part].parts.begin(), pool_[part].parts.end());
    else
      flat.push_back(part);
  }
  const bool unite = kind == Kind::either;
  std::vector<lang::Letter> letters;
  std::erase_if(flat, [&](ExpressionId part) {
    if (!unite || pool_[part].kind != Kind::letters) return part == neutral;
    letters.insert(letters.end(), pool_[part].letters.begin(), pool_[part].letters.end());
    return true;
  });
  if (!letters.empty()) {
    std::sort(letters.begin(), letters.end());
    letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
    flat.push_back(this->letters(std::move(letters)));
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (std::find(flat.begin(), flat.end(), decides) != flat.end()) return decides;
  if (flat.empty()) return neutral;
  if (flat.size() == 1) return flat[0];
  return intern({kind, {}, std::move(flat)});
}

ExpressionId Expressions::all_but(ExpressionId arg) {
  if (pool_[arg].kind == Kind::all_but) return pool_[arg].parts[0];
  return intern({Kind::all_but, {}, {arg}});
}

ExpressionId Expressions::repeated(ExpressionId arg, std::uint32_t least, std::uint32_t most) {
  if (most == 0 || arg == empty_) return empty_;
  if (arg == nothing_) return least == 0 ? empty_ : nothing_;
  if (nullable(arg)) least = 0;
  if (least == 1 && most == 1) return arg;
  if (most == lang::Repeated::kNoEnd) {
    const bool full_set = pool_[arg].kind == Kind::letters && pool_[arg].letters.size() == letter_count_;
    const ExpressionId star = arg == anything_ || full_set    ? anything_
                              : pool_[arg].kind == Kind::star ? arg
                                                              : intern({Kind::star, {}, {arg}});
    return least == 0 ? star : sequence(repeated(arg, least, least), star);
  }
  if (least == 0 && most == 1) return either({empty_, arg});
  return intern({Kind::repeated, {}, {arg}, least, most});
}

}  // namespace quench::automata
