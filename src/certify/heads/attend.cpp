// The attention sublayer: every head by its kind; each result goes to a coordinate of its own that holds exactly 0.
#include <cmath>
#include <map>

#include "base/number/number_format.h"
#include "certify/heads/heads.h"

namespace quench::certify {
namespace {

SparseMatrix::Row rounded(const Setting& setting, const SparseMatrix::Row& row) {
  SparseMatrix::Row result;
  for (const auto& [column, w] : row)
    if (const double stored = round_to(setting.arithmetic.storage, w); stored != 0) result.push_back({column, stored});
  return result;
}

StoredHead store(const Setting& setting, const model::Head& head, int number) {
  StoredHead result{head, number, {}, 1};
  double root = 1;
  while (root * root < static_cast<double>(head.q.rows.size())) root *= 2;
  if (root * root != static_cast<double>(head.q.rows.size()))
    throw NotProved("the width of queries is not a power of four", number);
  result.score_scale = 1 / root;
  for (std::size_t l = 0; l < head.q.rows.size(); ++l) {
    StoredHead::Component component{rounded(setting, head.q.rows[l]), rounded(setting, head.k.rows[l])};
    if (component.q.empty() || component.k.empty()) continue;
    // Keys decide which position is intended, so they must be what was written; queries only scale.
    for (const auto& entry : head.k.rows[l]) require_exact_weight(setting, entry.value, "W_K");
    result.components.push_back(std::move(component));
  }
  return result;
}

HeadProof prove(const Setting& setting, const State& state, const StoredHead& head) {
  const model::HeadClaim& claim = head.head.claim;
  if (head.head.weighting != Weighting::soft) throw NotProved("a head that is not softmax", head.number);
  switch (claim.structure.value()) {
    case HeadStructure::uniform:
      return prove_uniform(setting, state, head);
    case HeadStructure::tie_break:
      return is_of_the_paper(claim.lemma.value()) ? prove_tie_break(setting, state, head)
                                                  : prove_nearest(setting, state, head);
    case HeadStructure::previous:
      return prove_previous(setting, state, head);
    case HeadStructure::any:
      return prove_any(setting, state, head);
    case HeadStructure::sign:
      return prove_sign(setting, state, head);
    case HeadStructure::sink:
      return prove_sink(setting, state, head);
    case HeadStructure::lookup:
      return prove_lookup(setting, state, head);
    case HeadStructure::address:
    case HeadStructure::dyadic:
    case HeadStructure::match:
    case HeadStructure::none:
    case HeadStructure::other:
      break;
  }
  throw NotProved("a head of a kind without a proof: '" + claim.structure.text() + "'", head.number);
}

}  // namespace

void require_lemma(const StoredHead& head, Lemma lemma) {
  if (head.head.claim.lemma != lemma)
    throw NotProved("claims " + head.head.claim.lemma.text() + ", but is " + std::string(name_of(lemma)), head.number);
}

bounds::HeadArithmetic head_arithmetic(const Setting& setting) {
  const FloatFormat& compute = setting.arithmetic.compute;
  return {bounds::unit_roundoff(compute), setting.length, setting.summation == Summation::exact_count,
          bounds::power_of_two(compute.min_exponent - compute.precision + 2)};
}

Value whole_value(const Setting& setting, const State& state, const StoredHead& head, std::size_t l) {
  for (const auto& [column, w] : head.head.v.rows[l]) require_exact_weight(setting, w, "W_V");
  const Value value = stored(setting, row_sum(setting, state, head.head.v.rows[l], 0));
  if (!(value.error < Upper(0.25)))
    throw NotProved("a head mixes values that are not exact", heaviest_origin(state, head.head.v.rows[l]));
  return value;
}

Upper stored_error(const Setting& setting, const Upper& error, double magnitude, bool whole) {
  Upper result = error;
  result += bounds::rounding_error(setting.arithmetic.compute, Upper(magnitude) + result);
  const Upper u = bounds::unit_roundoff(setting.arithmetic.storage);
  if (whole && setting.stores_narrower() && magnitude <= 2 && result < Upper(0.5) * u) return result * (Upper(1) + u);
  if (setting.stores_narrower())
    result += bounds::rounding_error(setting.arithmetic.storage, Upper(magnitude) + result);
  return result;
}

Value retrieved_boolean(const Setting& setting, const Value& value, const Upper& error, const StoredHead& head) {
  std::optional<Interval> all;
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (!setting.has_class(static_cast<int>(c))) continue;
    if (!value.ideal[c].integral) throw NotProved("a head retrieves values that are not Boolean", head.number);
    all = all ? hull(*all, value.ideal[c].all()) : value.ideal[c].all();
  }
  if (all->low < 0 || all->high > 1) throw NotProved("a head retrieves values that are not Boolean", head.number);
  Value result;
  const unsigned alone = alone_classes(head.head.mask);
  for (std::size_t c = 0; c < kClasses; ++c)
    result.ideal[c] = (alone >> c & 1U) != 0 ? value.ideal[c] : Set::integers(all->low, all->high);
  if (value.exact()) result.exact_classes = alone;
  // A Boolean that is off by ε itself: |N̂ − v̂*| ≤ (1+ε)·error, so |N̂/D̂ − v*| ≤ 2(1+ε)·error + 2ε.
  const Upper own = value.error;
  result.error =
      stored_error(setting, value.exact() ? error : Upper(2) * (Upper(1) + own) * error + Upper(2) * own, 1, true);
  result.not_negative = value.exact();
  result.origin = head.number;
  if (!result.error.is_finite()) throw NotProved("the scores are not apart", head.number);
  return result;
}

Value retrieved_whole(const Setting& setting, const Value& value, std::array<Set, kClasses> ideal, const Upper& mass,
                      const StoredHead& head) {
  for (const Set& set : value.ideal)
    if (!set.integral) throw NotProved("a head retrieves values that are not whole", head.number);
  const Upper own = value.error, greatest(value.all().magnitude());
  Value result;
  result.ideal = std::move(ideal);
  // |N̂ − v*| ≤ (V+ε)·e and D̂ ∈ [1, 1+e], e the error for Booleans, so |N̂/D̂ − v*| ≤ 2(V+ε)e + ε(1+e).
  const Upper error = bounds::boolean_result_error(mass, head_arithmetic(setting));
  result.error =
      stored_error(setting, Upper(2) * (greatest + own) * error + own * (Upper(1) + error), greatest.to_double(), true);
  result.not_negative = value.exact() && value.not_negative;
  result.origin = head.number;
  if (value.exact()) result.exact_classes = alone_classes(head.head.mask);
  if (!result.error.is_finite()) throw NotProved("the scores are not apart", head.number);
  return result;
}

unsigned alone_classes(Mask mask) {
  unsigned classes = 0;
  for (std::size_t c = 0; c < kClasses; ++c) {
    const PositionClass& position = kPositionClasses[c];
    const bool alone = mask == Mask::future ? position.first
                       : mask == Mask::past ? position.last
                                            : position.first && position.last;
    if (alone) classes |= 1U << c;
  }
  return classes;
}

void attend(const Setting& setting, const model::Layer& layer, int first_head, const State& read, State& state,
            std::vector<HeadLine>& lines) {
  std::map<std::size_t, Value> written;  // heads read what was there before them
  int id = fresh_id(state);
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const int number = first_head + static_cast<int>(h);
    try {
      const StoredHead head = store(setting, layer.heads[h], number);
      HeadProof proof = prove(setting, read, head);
      const std::vector<std::size_t>& targets = setting.prepared.targets[static_cast<std::size_t>(number)];
      if (targets.empty()) throw NotProved("an output projection that mixes results", number);
      for (std::size_t l = 0; l < targets.size(); ++l) {
        if (targets[l] == Prepared::kNowhere) continue;
        const auto earlier = written.find(targets[l]);
        const Value& before = earlier == written.end() ? state[targets[l]] : earlier->second;
        if (!before.is_free()) throw NotProved("a head writes to a coordinate in use", number);
        Value& result = proof.results[l];
        add_to(setting, before, result);
        result.id = id++;
        written.insert_or_assign(targets[l], std::move(result));
      }
      lines.push_back(proof.line);
    } catch (const NotProved& failure) {
      throw NotProved(failure.what(), failure.head < 0 ? number : failure.head);
    }
  }
  for (auto& [coordinate, value] : written) state[coordinate] = std::move(value);
}

}  // namespace quench::certify
