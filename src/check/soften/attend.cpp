#include <algorithm>
#include <cmath>
#include <map>

#include "check/soften/enclosure.h"

namespace quench::check {
namespace {

constexpr std::size_t kMostSums = 20'000;  // of states and results, at one position

/// What a position shows to those that look at it: distinct pairs of key and value, and how far off they are.
struct Shown {
  std::vector<std::pair<State, State>> pairs;
  std::vector<Number> key_errors, key_sizes, value_errors, value_sizes;
};

/// Σ w·x as it is computed and stored: how far off.
std::vector<Number> projected_errors(const SparseMatrix& matrix, const Rounded& rounded, const Place& place) {
  std::vector<Number> errors;
  for (const SparseMatrix::Row& row : matrix.rows) {
    Number error, size;
    for (const auto& [column, weight] : row) {
      const Number w(std::fabs(weight)), x = place.sizes[column] + place.errors[column];
      error += w * place.errors[column] + rounded.of_weight(weight) * w * x;
      size += w * x;
    }
    if (!row.empty() && !is_one_power_of_two(row)) error += rounded.operations(row.size(), size) + rounded.stored(size);
    errors.push_back(error.top());
  }
  return errors;
}

State projected(const SparseMatrix& matrix, const State& state) {
  State result;
  for (const SparseMatrix::Row& row : matrix.rows) result.push_back(dot(row, state));
  return result;
}

void raise(std::vector<Number>& sizes, const State& state) {
  sizes.resize(state.size());
  for (std::size_t c = 0; c < state.size(); ++c) sizes[c] = max(sizes[c], state[c].size()).top();
}

Shown shown_by(const model::Head& head, const Rounded& rounded, const Place& place) {
  Shown shown;
  for (const State& state : place.states) shown.pairs.emplace_back(projected(head.k, state), projected(head.v, state));
  std::sort(shown.pairs.begin(), shown.pairs.end());
  shown.pairs.erase(std::unique(shown.pairs.begin(), shown.pairs.end()), shown.pairs.end());
  for (const auto& [key, value] : shown.pairs) {
    raise(shown.key_sizes, key);
    raise(shown.value_sizes, value);
  }
  shown.key_errors = projected_errors(head.k, rounded, place);
  shown.value_errors = projected_errors(head.v, rounded, place);
  return shown;
}

/// 1/τ(n), of the formulas that `soften` uses.
Number inverse_tau(Temperature temperature, std::size_t n) {
  const Number length(static_cast<double>(n)), log = Number(static_cast<double>(n + 1)).logarithm();
  switch (temperature) {
    case Temperature::one:
      return 1;
    case Temperature::inverse_log:
      return log;
    case Temperature::inverse_n_log:
      return length * log;
    case Temperature::inverse_n_sq_log:
      return length.power(2) * log;
    case Temperature::inverse_n_cubed_log:
      return length.power(3) * log;
    default:
      throw Rejected("a head has a temperature that soften does not give");
  }
}

/// What one head may hand on, for one query.
struct Outcomes {
  std::vector<State> results;
  std::vector<Number> errors, sizes;  ///< by component
};

/// One query of one head, and all the keys that it sees.
class Row {
 public:
  Row(const model::Head& head, const Rounded& rounded, const State& query, const std::vector<Number>& query_errors,
      std::size_t n)
      : head_(head), rounded_(rounded), query_(query), query_errors_(query_errors), n_(n) {
    const Number root = Number(static_cast<double>(head.q.rows.size())).root();
    // 1/τ is computed to some units in the last place.
    sharp_ = inverse_tau(head.temperature, n) / root;
    blunt_ = sharp_ * (Number(1) - Number::two_to(-46) - Number(16) * rounded.unit());
  }

  Outcomes outcomes(const std::vector<Shown>& shown, KeyRange range) {
    Outcomes result;
    result.errors.resize(head_.v.rows.size());
    result.sizes.resize(head_.v.rows.size());
    if (range.first > range.last) {  // nothing is seen: zeros
      result.results.emplace_back(head_.v.rows.size());
      return result;
    }
    for (std::size_t j = range.first; j <= range.last; ++j) look_at(shown[j - 1]);
    for (std::size_t at = 0; at < keys_.size(); ++at)
      for (const Seen& top : keys_[at].seen)
        if (may_be_greatest(at, top.score)) take(at, top, result);
    keep_each_once(result.results);
    round(result);
    return result;
  }

 private:
  struct Seen {
    Rational score;
    const State* value;
  };
  struct Key {
    const Shown* shown;
    std::vector<Seen> seen;
    Rational least;
    Number score_error;
  };

  /// δ/τ, of the scores between this query and the keys of a position.
  Number score_error(const Shown& shown) const {
    Number off, size;
    bool scored = false;
    for (std::size_t l = 0; l < query_.size(); ++l) {
      if (head_.q.rows[l].empty() || head_.k.rows[l].empty()) continue;
      const Number q = query_[l].size(), k = shown.key_sizes[l],
                   whole = (q + query_errors_[l]) * (k + shown.key_errors[l]);
      off += q * shown.key_errors[l] + query_errors_[l] * k + query_errors_[l] * shown.key_errors[l];
      size += whole;
      scored = true;
    }
    if (!scored) return {};
    // Products and sum, 1/√d_k and its product, 1/τ and its product, the difference from the maximum.
    off += rounded_.operations(query_.size() + 8, size);
    static_cast<void>(rounded_.operations(1, size * sharp_));
    return (off * sharp_ * Number(1 + 0x1p-16)).top();
  }

  void look_at(const Shown& shown) {
    Key key{&shown, {}, {}, score_error(shown)};
    for (const auto& [k, value] : shown.pairs) {
      Rational score;
      for (std::size_t l = 0; l < k.size(); ++l) score.add_product(query_[l], k[l]);
      if (key.seen.empty() || score < key.least) key.least = score;
      key.seen.push_back({std::move(score), &value});
    }
    single_ = single_ && key.seen.size() == 1;
    keys_.push_back(std::move(key));
  }

  bool may_be_greatest(std::size_t at, const Rational& score) const {
    for (std::size_t j = 0; j < keys_.size(); ++j)
      if (j != at && score < keys_[j].least) return false;
    return true;
  }

  /// The result if this key is one of those at the top.
  void take(std::size_t at, const Seen& top, Outcomes& outcomes) {
    State result = *top.value;
    std::vector<Number> spread(result.size());
    Number worst = keys_[at].score_error;
    if (const std::vector<std::size_t> tied = tied_with(at, top); !tied.empty()) {
      result = State(result.size());
      for (const std::size_t j : tied) {
        worst = max(worst, keys_[j].score_error);
        for (std::size_t x = 0; x < result.size(); ++x) {
          const State& value = *keys_[j].seen[0].value;
          result[x] += value[x] * Rational::quotient(1, tied.size());
          for (const std::size_t k : tied) spread[x] = max(spread[x], (value[x] - (*keys_[k].seen[0].value)[x]).size());
        }
      }
    }
    for (std::size_t x = 0; x < result.size(); ++x) {
      Number off = worst * Number(0.5) * spread[x];
      for (std::size_t j = 0; j < keys_.size(); ++j)
        if (j != at) off += behind(keys_[j], top.score, worst, result[x], x);
      outcomes.errors[x] = max(outcomes.errors[x], off).top();
    }
    outcomes.results.push_back(std::move(result));
  }

  /// All keys of a tie between different values; none if there is no such tie.
  std::vector<std::size_t> tied_with(std::size_t at, const Seen& top) const {
    std::vector<std::size_t> tied;
    bool differ = false;
    for (std::size_t j = 0; j < keys_.size(); ++j)
      for (const Seen& other : keys_[j].seen) {
        if (j == at ? &other != &top : !(other.score == top.score)) continue;
        tied.push_back(j);
        differ = differ || !(*other.value == *top.value);
      }
    if (!differ) return {};
    if (!single_) throw Undecided("keys with different values may tie");
    return tied;
  }

  /// What the keys of a position that are behind add to the error of component x, at most.
  Number behind(const Key& key, const Rational& top, const Number& worst, const Rational& result, std::size_t x) const {
    Number most;
    for (const Seen& seen : key.seen) {
      if (!(seen.score < top)) continue;
      const Number distance = (*seen.value)[x].number() - result.number();
      if (distance.zero()) continue;
      const Number exponent = worst + key.score_error - (top - seen.score).number() * blunt_;
      most = max(most, exponent.exponential() * distance.absolute()).top();
    }
    return most;
  }

  /// Errors of values, and roundings: exp to two units, products, sums over positions in any order, divisions first or
  /// last.
  void round(Outcomes& outcomes) const {
    for (std::size_t x = 0; x < outcomes.errors.size(); ++x) {
      Number error, size;
      for (const Key& key : keys_) {
        error = max(error, key.shown->value_errors[x]);
        size = max(size, key.shown->value_sizes[x] + key.shown->value_errors[x]);
      }
      outcomes.sizes[x] = size.top();
      outcomes.errors[x] = (outcomes.errors[x] + error + rounded_.operations(2 * n_ + 8, size) +
                            Number(static_cast<double>(n_)) * rounded_.tiny() * size + rounded_.stored(size))
                               .top();
    }
  }

  const model::Head& head_;
  const Rounded& rounded_;
  const State& query_;
  const std::vector<Number>& query_errors_;
  std::size_t n_;
  Number sharp_, blunt_;
  std::vector<Key> keys_;
  bool single_ = true;  // every position has one pair only: of one word, this is what happens
};

/// All heads at one position: what they add to every state, and to the errors.
class Mix {
 public:
  Mix(const model::Layer& layer, const Rounded& rounded, const Place& place)
      : layer_(layer),
        rounded_(rounded),
        place_(place),
        off_(place.errors.size()),
        sizes_(place.errors.size()),
        terms_(place.errors.size()) {}

  void add(std::size_t h, const std::map<State, Outcomes>& by_query) {
    const SparseMatrix& o = layer_.heads[h].o;
    for (std::size_t c = 0; c < o.rows.size(); ++c) {
      for (const auto& [component, weight] : o.rows[c]) {
        Number error, size;
        for (const auto& [query, outcomes] : by_query) {
          error = max(error, outcomes.errors[component]);
          size = max(size, outcomes.sizes[component] + outcomes.errors[component]);
        }
        const Number w(std::fabs(weight));
        off_[c] += w * error + rounded_.of_weight(weight) * w * size;
        sizes_[c] += w * size;
      }
      terms_[c] += o.rows[c].size();
    }
  }

  std::vector<Number> errors() const {
    std::vector<Number> errors = place_.errors;
    for (std::size_t c = 0; c < errors.size(); ++c) {
      if (terms_[c] == 0) continue;
      const Number total = sizes_[c] + place_.sizes[c] + errors[c];
      errors[c] = (errors[c] + off_[c] + rounded_.operations(terms_[c] + 2, total) + rounded_.stored(total)).top();
    }
    return errors;
  }

 private:
  const model::Layer& layer_;
  const Rounded& rounded_;
  const Place& place_;
  std::vector<Number> off_, sizes_;
  std::vector<std::size_t> terms_;
};

State with_result(const model::Head& head, State state, const State& result) {
  for (std::size_t c = 0; c < head.o.rows.size(); ++c) state[c] += dot(head.o.rows[c], result);
  return state;
}

}  // namespace

void attend(const model::Layer& layer, const Rounded& rounded, std::vector<Place>& places, Budget& budget) {
  const std::size_t n = places.size();
  std::vector<std::vector<Shown>> shown(layer.heads.size());
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const model::Head& head = layer.heads[h];
    if (head.weighting != Weighting::soft || head.intended != Weighting::ahardmax)
      throw Rejected("a head is not soft in the place of an average-hard one");
    for (const Place& place : places) shown[h].push_back(shown_by(head, rounded, place));
  }
  std::vector<Place> after(n);
  for (std::size_t i = 1; i <= n; ++i) {
    const Place& place = places[i - 1];
    Mix mix(layer, rounded, place);
    // A state keeps the state it came from, whose queries the other heads ask with.
    std::vector<std::pair<State, State>> from;  // before the layer, and with the results so far
    for (const State& state : place.states) from.emplace_back(state, state);
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const model::Head& head = layer.heads[h];
      const std::vector<Number> query_errors = projected_errors(head.q, rounded, place);
      std::map<State, Outcomes> by_query;
      for (const State& state : place.states) {
        State query = projected(head.q, state);
        if (by_query.contains(query)) continue;
        for (const Shown& keys : shown[h]) budget.spend(keys.pairs.size() * (query.size() + head.v.rows.size()));
        Outcomes outcomes = Row(head, rounded, query, query_errors, n).outcomes(shown[h], visible(head.mask, i, n));
        by_query.emplace(std::move(query), std::move(outcomes));
      }
      mix.add(h, by_query);
      std::vector<std::pair<State, State>> next;
      for (const auto& [before, so_far] : from)
        for (const State& result : by_query.at(projected(head.q, before)).results)
          next.emplace_back(before, with_result(head, so_far, result));
      from = std::move(next);
      if (from.size() > kMostSums) throw Undecided("there are too many vectors at a position");
    }
    after[i - 1].errors = mix.errors();
    for (auto& [before, state] : from) after[i - 1].states.push_back(std::move(state));
    keep_each_once(after[i - 1].states);
    after[i - 1].measure();
  }
  places = std::move(after);
}

}  // namespace quench::check
