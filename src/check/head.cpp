#include "check/head.h"

#include <cmath>
#include <map>

namespace quench::check {

HeadCheck::HeadCheck(const Claim& claim, const Facts& facts, const model::Head& head)
    : claim_(claim),
      facts_(facts),
      head_(head),
      n_(claim.longest),
      u_(relative_step(claim.work)),
      tiny_(Number::two_to(claim.work.min_exponent - claim.work.precision + 2)) {
  if (head.weighting != Weighting::soft) throw Rejected("a head that is not softmax");
  if (head.mask != Mask::none && head.mask != Mask::future && head.mask != Mask::past) throw Rejected("a strict mask");
  double root = 1;
  while (root * root < static_cast<double>(head.q.rows.size())) root *= 2;
  if (root * root != static_cast<double>(head.q.rows.size())) throw Rejected("d_k is not a power of four");
  scale_ = 1 / root;
  for (std::size_t l = 0; l < head.q.rows.size(); ++l) {
    Product product{in_format(head.q.rows[l]), in_format(head.k.rows[l])};
    if (product.q.empty() || product.k.empty()) continue;
    for (const auto& entry : head.k.rows[l]) need_exact(claim, entry.value);
    products_.push_back(std::move(product));
  }
}

Line HeadCheck::derive(Results& results) {
  results.resize(head_.v.rows.size());
  for (const SparseMatrix::Row& row : head_.v.rows)
    for (const auto& entry : row) need_exact(claim_, entry.value);
  switch (head_.claim.structure.value()) {
    case HeadStructure::uniform:
      return uniform(results);
    case HeadStructure::tie_break:
      return is_of_the_paper(head_.claim.lemma.value()) ? tie_break(results) : nearest(results);
    case HeadStructure::previous:
      return neighbour(results);
    case HeadStructure::any:
      return any(results);
    case HeadStructure::sign:
      return sign(results);
    case HeadStructure::sink:
      return sink(results);
    case HeadStructure::lookup:
      return lookup(results);
    case HeadStructure::address:
    case HeadStructure::dyadic:
    case HeadStructure::match:
    case HeadStructure::none:
    case HeadStructure::other:
      break;
  }
  throw Rejected("a head of unknown structure");
}

SparseMatrix::Row HeadCheck::in_format(const SparseMatrix::Row& row) const {
  SparseMatrix::Row result;
  for (const auto& [column, w] : row)
    if (const double stored = round_to(claim_.store, w); stored != 0) result.push_back({column, stored});
  return result;
}

/// Exactly, or as far as scores allow for its error.
bool HeadCheck::known(const Fact& fact, double x) const { return claim_.pinned ? fact.is(x) : fact.exactly(x); }

bool HeadCheck::constantly(std::uint32_t column, double x) const {
  bool result = true;
  for_kinds([&](int, const std::vector<Fact>& facts) { result = result && known(facts[column], x); });
  return result;
}

bool HeadCheck::alternates(std::uint32_t column) const {
  bool result = true;
  for_kinds([&](int kind, const std::vector<Fact>& facts) {
    result = result && known(facts[column], is_even(kind) ? 1 : -1);
  });
  return result;
}

Number HeadCheck::worst_relative(std::uint32_t column) const {
  Number worst;
  for_kinds([&](int, const std::vector<Fact>& facts) { worst = max(worst, facts[column].relative); });
  return worst;
}

bool HeadCheck::alone(int kind) const {
  return head_.mask == Mask::future ? is_first(kind) : head_.mask == Mask::past ? is_last(kind) : kind == 0;
}

std::array<Fact, kKinds> HeadCheck::values(std::size_t l) const {
  std::array<Fact, kKinds> result;
  for_kinds([&](int kind, const std::vector<Fact>& facts) {
    Fact value = store(claim_, combine(claim_, facts, head_.v.rows[l], 0));
    if (!(value.error < Number(0.25)) || !value.whole) throw Rejected("a head mixes values that are not exact");
    result[static_cast<std::size_t>(kind)] = std::move(value);
  });
  return result;
}

/// Divided, rounded and stored. What stands for a small whole number and is nearer to it than half the step below 1 is
/// stored as that number, or, if it is 0, as something no farther from it.
Number HeadCheck::after_division(const Number& error, const Number& size, bool whole) const {
  if (!error.finite()) throw Rejected("scores are not apart");
  const Number result = error + half_step(claim_.work, size + error);
  if (!claim_.narrow()) return result;
  const Number step = relative_step(claim_.store);
  if (whole && size <= Number(2) && Number(2) * result < step) return result * (Number(1) + step);
  return result + half_step(claim_.store, size + result);
}

/// (1+u)^count − 1 ≤ e^{count·u} − 1
Number HeadCheck::compounded(const Number& count) const { return (count * u_).exponential() - Number(1); }

/// One key weighs 1, all others together at most `mass`: what that and the sums do to a value between 0 and 1. `sums`:
/// what is known of the sums besides.
Number HeadCheck::mixing_error(const Number& mass, const std::optional<Number>& sums) const {
  const Number delta = claim_.sums == Sums::exact_count ? u_ : compounded(n_);
  Number lost = min(mass * (Number(1) + Number(2) * delta), (Number(1) + mass) * delta);
  if (sums) lost = min(lost, *sums);
  const Number off = min(mass, mass / (Number(1) + mass) + lost);
  return off + lost + Number(2) * u_ * (Number(1) + mass + lost);
}

/// A Boolean picked with total wrong weight at most `mass`.
void HeadCheck::retrieve(std::array<Fact, kKinds>& result, std::size_t l, const Number& mass, Line& line,
                         const std::optional<Number>& sums) const {
  const auto v = values(l);
  Number low = v[0].low(), high = v[0].high(), off;
  for_kinds([&](int kind, const std::vector<Fact>&) {
    off = max(off, v[static_cast<std::size_t>(kind)].error);
    low = min(low, v[static_cast<std::size_t>(kind)].low());
    high = max(high, v[static_cast<std::size_t>(kind)].high());
  });
  if (!(Number(0) <= low && high <= Number(1))) throw Rejected("a head retrieves values that are not Boolean");
  Fact fact;
  fact.spans = {{low, high}};
  const Number mixed = mixing_error(mass, sums);
  fact.error = after_division(off.zero() ? mixed : Number(2) * (Number(1) + off) * mixed + Number(2) * off, 1, true);
  fact.positive = off.zero();
  line.bound = std::fmax(line.bound, fact.error.top().to_double());
  for_kinds([&](int kind, const std::vector<Fact>&) {
    Fact& here = result[static_cast<std::size_t>(kind)];
    here = fact;
    if (!alone(kind)) return;
    here.spans = v[static_cast<std::size_t>(kind)].spans;  // its own value
    if (off.zero()) here.error = 0;
  });
}

void pass_attention(const Claim& claim, const model::Layer& layer, const Facts& seen, Facts& facts,
                    std::vector<Line>& lines) {
  std::map<std::size_t, std::array<Fact, kKinds>> written;  // heads read what was there before the layer
  long id = unused_id(facts);
  const auto write = [&](std::size_t target, const std::array<Fact, kKinds>& result) {
    ++id;
    const bool first = !written.contains(target);
    std::array<Fact, kKinds>& place = written[target];
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (!occurs(static_cast<int>(kind), claim.longest)) continue;
      const Fact& before = first ? facts[kind][target] : place[kind];
      if (!before.unused()) throw Rejected("a head writes to a coordinate in use");
      const Number leftover = before.error;
      place[kind] = result[kind];
      place[kind].id = id;
      add_leftover(claim, leftover, place[kind]);
    }
  };
  for (const model::Head& head : layer.heads) {
    Results results;
    lines.push_back(HeadCheck(claim, seen, head).derive(results));
    std::vector<bool> mentioned(results.size());
    std::size_t target = 0;
    for (const SparseMatrix::Row& row : head.o.rows) {
      for (const auto& [l, w] : row) {
        if (w != 1 || mentioned[l]) throw Rejected("an output projection that mixes");
        mentioned[l] = true;
        write(target, results[l]);
      }
      ++target;
    }
  }
  for (auto& [target, values] : written)
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      if (occurs(static_cast<int>(kind), claim.longest)) facts[kind][target] = std::move(values[kind]);
}

}  // namespace quench::check
