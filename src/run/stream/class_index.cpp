// Scores are q·k, scaled, plus the base. A component with two values says by the sign of its query which of them it
// wants. One component x may have many whole values if the base falls at least as peak − β·x²: with its query 2βr the
// best that any key can have is at x = r, since 2βr·x − βx² = β(r² − (x − r)²), and other whole numbers are β behind.
#include "run/stream/class_index.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace quench::run {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

}  // namespace

std::size_t ClassIndex::Hash::operator()(const std::vector<double>& key) const {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(key.data()), key.size() * sizeof(double)});  // never −0: see find_or_add
}

void ClassIndex::clear() {
  classes_.clear();
  keys_.clear();
  bases_.clear();
  free_.clear();
  forgotten_ = false;
  top_ = kNothing;
  values_.assign(common_.size(), {});
  parabola_.reset();
}

std::size_t ClassIndex::find_or_add(const std::vector<double>& key) {
  wanted_.resize(key.size());
  for (std::size_t l = 0; l < key.size(); ++l) wanted_[l] = common_[l] ? 0.0 : key[l] + 0.0;  // −0 becomes 0
  if (const auto found = classes_.find(wanted_); found != classes_.end()) return *found;
  std::size_t number = keys_.size();
  if (free_.empty()) {
    keys_.emplace_back();
    bases_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  keys_[number] = wanted_;
  bases_[number] = kNothing;
  classes_.insert(number);
  for (std::size_t l = 0; l < key.size(); ++l) {
    std::vector<Value>& values = values_[l];
    const auto known = std::ranges::find(values, wanted_[l], &Value::value);
    if (known != values.end()) {
      ++known->classes;
      known->last = number;
    } else if (values.size() < 3) {
      values.push_back({wanted_[l], 1, number});
      if (values.size() == 3) find_parabola(l);
    }
  }
  return number;
}

void ClassIndex::forget(std::size_t number) {
  for (std::size_t l = 0; l < values_.size(); ++l)
    for (Value& value : values_[l])
      if (value.value == keys_[number][l]) ++value.classes;  // so that by_sink never takes it for the only one
  classes_.erase(number);
  free_.push_back(number);
  forgotten_ = true;
}

void ClassIndex::find_parabola(std::size_t component) {
  const bool another = parabola_.has_value();
  parabola_ = Parabola{component};
  parabola_->holds = false;
  if (forgotten_) return;  // its base is not known any more
  double at_one = kNothing;
  parabola_->peak = kNothing;
  for (std::size_t c = 0; c < keys_.size(); ++c) {
    if (keys_[c][component] == 0) parabola_->peak = std::max(parabola_->peak, bases_[c]);
    if (keys_[c][component] == 1) at_one = std::max(at_one, bases_[c]);
  }
  parabola_->beta = parabola_->peak - at_one;
  parabola_->holds = !another && parabola_->beta >= cutoff_ && parabola_->beta < -kNothing;
  for (std::size_t c = 0; c < keys_.size(); ++c) raise(c, bases_[c]);
}

void ClassIndex::raise(std::size_t number, double base) {
  bases_[number] = base;
  top_ = std::max(top_, base);
  if (!parabola_) return;
  const double x = keys_[number][parabola_->component];
  parabola_->holds = parabola_->holds && x == std::floor(x) && base <= parabola_->peak - parabola_->beta * x * x;
}

bool ClassIndex::find_winners(const std::vector<double>& query, double scale, std::vector<std::size_t>& winners) {
  winners.clear();
  if (parabola_ && !parabola_->holds) return false;
  return by_code(query, scale, winners) || (!parabola_ && by_sink(query, scale, winners));
}

/// The class that has the better value in every component: another one lacks at least the least difference. Where a
/// query is 0 both values are as good, which may be so in one component.
bool ClassIndex::by_code(const std::vector<double>& query, double scale, std::vector<std::size_t>& winners) {
  wanted_.assign(query.size(), 0.0);
  double gap = std::numeric_limits<double>::infinity();
  double ahead_of_base = 0,
         bound = top_;  // what x adds to the winner, and the most that it and the base add to any key
  std::optional<std::size_t> either;
  for (std::size_t l = 0; l < query.size(); ++l) {
    const std::vector<Value>& values = values_[l];
    wanted_[l] = values[0].value;
    if (values.size() == 1) continue;
    if (values.size() == 3) {
      const double r = query[l] * scale / (2 * parabola_->beta);
      if (r < 0 || r != std::floor(r)) return false;
      wanted_[l] = r;
      ahead_of_base = 2 * parabola_->beta * r * r;
      bound = parabola_->peak + parabola_->beta * r * r;
      gap = std::min(gap, parabola_->beta);
      continue;
    }
    const double ahead = query[l] * scale * (values[1].value - values[0].value);
    if (ahead == 0) {
      if (either) return false;
      either = l;
      continue;
    }
    gap = std::min(gap, std::fabs(ahead));
    if (ahead > 0) wanted_[l] = values[1].value;
  }
  take(winners);
  if (either) {
    wanted_[*either] = values_[*either][1].value;
    take(winners);
  }
  double best = kNothing;
  for (const std::size_t c : winners) best = std::max(best, bases_[c]);
  return best + ahead_of_base + gap - bound >= cutoff_;
}

void ClassIndex::take(std::vector<std::size_t>& winners) const {
  if (const auto found = classes_.find(wanted_); found != classes_.end()) winners.push_back(*found);
}

/// The most that the component can add to a score.
double ClassIndex::best_of(std::size_t component, double q) const {
  double best = kNothing;
  for (const Value& value : values_[component]) best = std::max(best, q * value.value);
  return best;
}

/// The only class with the better value of one component, if that makes up for all the others.
bool ClassIndex::by_sink(const std::vector<double>& query, double scale, std::vector<std::size_t>& winners) const {
  for (std::size_t l = 0; l < query.size(); ++l) {
    const double q = query[l] * scale;
    if (values_[l].size() < 2 || q == 0) continue;
    const bool second = q * values_[l][1].value > q * values_[l][0].value;
    const Value &better = values_[l][second], &worse = values_[l][!second];
    if (better.classes != 1) continue;
    double own = bases_[better.last], others = top_ + q * worse.value;
    for (std::size_t m = 0; m < query.size(); ++m) {
      own += query[m] * scale * keys_[better.last][m];
      if (m != l) others += best_of(m, query[m] * scale);
    }
    if (!(own - others >= cutoff_)) continue;
    winners.assign(1, better.last);
    return true;
  }
  return false;
}

}  // namespace quench::run
