#include "certify/normalised/whole_errors.h"

#include <algorithm>
#include <cmath>

#include "bounds/attention.h"
#include "bounds/ball.h"
#include "certify/heads/heads.h"

namespace quench::certify {
namespace {

using bounds::Ball;

State values_of(const Wholes& state) {
  State values;
  for (const Whole& whole : state) {
    values.push_back(Value::constant(0));
    values.back().ideal.fill(Set::integers(whole.ranges.all.low, whole.ranges.all.high));
  }
  return values;
}

/// The greatest slope of Σ w·ReLU(t + b) over the units of a row of W2 that have the same row of W1 as `unit`.
Upper greatest_slope(const model::FeedForward& ffn, const SparseMatrix::Row& units, std::size_t unit) {
  std::vector<std::pair<double, double>> by_threshold;
  for (const auto& [other, w] : units)
    if (ffn.w1.rows[other] == ffn.w1.rows[unit]) by_threshold.emplace_back(-ffn.b1[other], w);
  std::sort(by_threshold.begin(), by_threshold.end());
  double slope = 0, greatest = 0;
  for (std::size_t k = 0; k < by_threshold.size(); ++k) {
    slope += by_threshold[k].second;  // whole numbers
    if (k + 1 == by_threshold.size() || by_threshold[k + 1].first != by_threshold[k].first)
      greatest = std::fmax(greatest, std::fabs(slope));
  }
  return greatest;
}

bool is_first_of_its_row(const model::FeedForward& ffn, const SparseMatrix::Row& units, std::size_t unit) {
  for (const auto& [other, w] : units)
    if (ffn.w1.rows[other] == ffn.w1.rows[unit]) return other == unit;
  return false;
}

}  // namespace

WholeErrors::WholeErrors(const Setting& setting, const Wholes& embedded)
    : setting_(setting),
      stored_(values_of(embedded)),
      reads_(setting, stored_),
      u_(bounds::unit_roundoff(setting.arithmetic.compute)) {}

void WholeErrors::take_ideal(const Wholes& state) {
  for (std::size_t c = 0; c < state.size(); ++c)
    stored_[c].ideal.fill(Set::integers(state[c].ranges.all.low, state[c].ranges.all.high));
}

/// Of a projection; the roundings of its sum are part of what reading costs.
Upper WholeErrors::read_error(const State& read, const SparseMatrix::Row& row) const {
  Upper error;
  for (const auto& [column, w] : row) error += Upper(std::fabs(w)) * read[column].error;
  return error;
}

Upper WholeErrors::score_error(const State& read, const Wholes& state, const model::Head& head) const {
  const auto rows = static_cast<double>(head.q.rows.size());
  Upper error;
  for (std::size_t l = 0; l < head.q.rows.size(); ++l) {
    if (head.q.rows[l].empty() || head.k.rows[l].empty()) continue;
    const Upper q(sum_of(setting_, state, head.q.rows[l], 0, Stored::yes).ranges.all.magnitude());
    const Upper k(sum_of(setting_, state, head.k.rows[l], 0, Stored::yes).ranges.all.magnitude());
    const Upper of_q = read_error(read, head.q.rows[l]), of_k = read_error(read, head.k.rows[l]);
    error += q * of_k + k * of_q + of_q * of_k + Upper(rows + 2) * u_ * (q + of_q) * (k + of_k);
  }
  return upper_of(Ball(error) / sqrt(Ball(rows)));
}

void WholeErrors::attended(const Wholes& before, const Wholes& after, const model::Layer& layer, const HeadLine* lines,
                           int first_head) {
  const State read = reads_.before_attention(stored_, layer);
  const bounds::HeadArithmetic arithmetic = head_arithmetic(setting_);
  const Upper one(1);
  double results = 3;
  for (const model::Head& head : layer.heads) results += static_cast<double>(head.v.rows.size());
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const model::Head& head = layer.heads[h];
    const Upper off = score_error(read, before, head);
    const Ball behind = Ball(lines[h].gap) - Ball(2) * Ball(off);
    if (setting_.length > 1 && !behind.is_positive())
      throw NotProved("the scores are not apart", first_head + static_cast<int>(h));
    const Upper mass = upper_of(Ball(setting_.length - 1) * (Ball(1) + Ball(4) * Ball(u_)) * exp(Ball(0) - behind)) +
                       Upper(setting_.length) * arithmetic.tiny;
    const Upper mixing = bounds::boolean_result_error(mass, arithmetic);
    Upper tied;
    if (head.claim.lemma == Lemma::q_count)
      tied = upper_of(expm1(Ball(2) * Ball(off))) + Upper(2) * bounds::accumulated(u_, setting_.length + 2);
    std::vector<Upper> sizes, errors;
    for (const SparseMatrix::Row& row : head.v.rows) {
      const Upper own = read_error(read, row),
                  size(sum_of(setting_, before, row, 0, Stored::yes).ranges.all.magnitude());
      const Upper error = (Upper(2) * mixing + tied) * (size + own) + own * (one + mixing);
      sizes.push_back(size);
      errors.push_back(error + Upper(2) * u_ * (size + error));
    }
    for (std::size_t c = 0; c < head.o.rows.size(); ++c)
      for (const auto& [l, w] : head.o.rows[c]) {
        const Upper weight(std::fabs(w));
        stored_[c].error += weight * errors[l];
        stored_[c].error += Upper(results) * u_ * weight * (sizes[l] + errors[l]);
        stored_[c].origin = first_head + static_cast<int>(h);
      }
  }
  take_ideal(after);
  for (Value& value : stored_)
    if (!value.exact()) value.error += u_ * (Upper(value.all().magnitude()) + value.error);
  reads_.attended(stored_, layer);
}

void WholeErrors::fed_forward(const Wholes& before, const Wholes& after, const model::FeedForward& ffn) {
  const State read = reads_.before_feed_forward(stored_, ffn);
  std::vector<Upper> sizes, errors, noises;
  for (std::size_t unit = 0; unit < ffn.b1.size(); ++unit) {
    errors.push_back(read_error(read, ffn.w1.rows[unit]));
    noises.push_back(reader_noise(read, ffn.w1.rows[unit], ffn.b1[unit], u_));
    const Sum argument = sum_of(setting_, before, ffn.w1.rows[unit], ffn.b1[unit], Stored::no);
    sizes.push_back(Upper(argument.ranges.all.magnitude()) + errors.back());
  }
  const Upper roundings = Upper(static_cast<double>(ffn.b1.size()) + 3) * u_;
  for (std::size_t c = 0; c < ffn.w2.rows.size(); ++c) {
    const SparseMatrix::Row& units = ffn.w2.rows[c];
    if (units.empty() && ffn.b2[c] == 0) continue;
    Upper more = roundings * Upper(std::fabs(ffn.b2[c]));
    for (const auto& [unit, w] : units) {
      more += Upper(std::fabs(w)) * (roundings * sizes[unit] + noises[unit]);
      if (is_first_of_its_row(ffn, units, unit)) more += greatest_slope(ffn, units, unit) * errors[unit];
    }
    stored_[c].error += more;
    stored_[c].error += u_ * (Upper(after[c].ranges.all.magnitude()) + stored_[c].error);
  }
  take_ideal(after);
  reads_.fed_forward(stored_, read, ffn);
}

void WholeErrors::require_outputs() {
  const State read = reads_.before_output(stored_);
  reads_.require_certain_labels(read);
}

}  // namespace quench::certify
