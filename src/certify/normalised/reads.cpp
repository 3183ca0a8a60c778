#include "certify/normalised/reads.h"

#include <algorithm>
#include <cmath>

namespace quench::certify {
namespace {

std::size_t widest(const SparseMatrix& matrix) {
  std::size_t entries = 0;
  for (const SparseMatrix::Row& row : matrix.rows) entries = std::max(entries, row.size());
  return entries;
}

Upper size_of(const Value& value) { return Upper(value.all().magnitude()) + value.error; }

}  // namespace

Upper reader_noise(const State& read, const SparseMatrix::Row& row, double bias, const Upper& u) {
  Upper noise = Upper(static_cast<double>(row.size()) + 3) * u * Upper(std::fabs(bias));
  for (const auto& [column, w] : row) noise += Upper(std::fabs(w)) * read[column].noise;
  return noise;
}

NormalisedReads::NormalisedReads(const Setting& setting, const State& embedded)
    : setting_(setting), u_(bounds::unit_roundoff(setting.arithmetic.compute)) {
  drift_ = Upper(8) * u_ * size_of(embedded).sum;  // tables are rounded, and so is their sum
}

/// The balance is minus the sum of the others, but for the drift. One more coordinate may hold a constant 1.
DataSize NormalisedReads::size_of(const State& state) const {
  DataSize size;
  size.sum = size.squares = Upper(1);
  for (const Value& value : state) {
    const Upper most = certify::size_of(value);
    size.sum += most;
    size.squares += most * most;
  }
  const Upper balance = size.sum + drift_;
  size.sum += balance;
  size.squares += balance * balance;
  size.drift = drift_;
  return size;
}

State NormalisedReads::through(const State& state, std::size_t widest_row) {
  const NormalisationError error = normalisation_error(*setting_.layer_norm, size_of(state), u_);
  if (!error.scale.is_finite()) throw NotProved("the data are not small beside the pins", -1);
  const Upper one(1), reading = Upper(static_cast<double>(widest_row) + 6) * (one + Upper(0x1p-6)) * u_;
  const Upper relative = error.scale + reading, absolute = Upper(2) * reading * error.shift;
  State read = state;
  for (Value& value : read) {
    value.additive = value.additive * (one + relative) + absolute;
    value.noise = reading * certify::size_of(value) + absolute;
    value.error += relative * certify::size_of(value) + absolute;
    value.relative += relative * (one + value.relative);
    value.exact_classes = 0;
    value.quiet = value.on_grid = value.not_negative = false;
    value.cap = outward::kInfinity;
  }
  return read;
}

State NormalisedReads::before_attention(const State& state, const model::Layer& layer) {
  std::size_t entries = 0;
  for (const model::Head& head : layer.heads)
    entries = std::max({entries, widest(head.q), widest(head.k), widest(head.v)});
  return through(state, entries);
}

State NormalisedReads::before_feed_forward(const State& state, const model::FeedForward& ffn) {
  return through(state, widest(ffn.w1) + 1);
}

State NormalisedReads::before_output(const State& state) {
  State with_one = state;
  with_one.push_back(Value::constant(1));
  return through(with_one, 2);
}

void NormalisedReads::attended(const State& state, const model::Layer& layer) {
  double results = 0;
  for (const model::Head& head : layer.heads) results += static_cast<double>(head.v.rows.size());
  drift_ += Upper(2) * Upper(results + 3) * u_ * size_of(state).sum;
}

void NormalisedReads::fed_forward(const State& state, const State& read, const model::FeedForward& ffn) {
  std::vector<Upper> hidden;
  for (std::size_t unit = 0; unit < ffn.b1.size(); ++unit) {
    hidden.emplace_back(std::fabs(ffn.b1[unit]));
    for (const auto& [column, w] : ffn.w1.rows[unit])
      hidden.back() += Upper(std::fabs(w)) * certify::size_of(read[column]);
  }
  Upper terms = size_of(state).sum;
  for (std::size_t coordinate = 0; coordinate < ffn.w2.rows.size(); ++coordinate) {
    terms += Upper(std::fabs(ffn.b2[coordinate]));
    for (const auto& [unit, w] : ffn.w2.rows[coordinate]) terms += Upper(std::fabs(w)) * hidden[unit];
  }
  drift_ += Upper(2) * Upper(static_cast<double>(ffn.b1.size()) + 4) * u_ * terms;
}

void NormalisedReads::require_certain_labels(const State& read) const {
  const model::Output& output = setting_.model().output;
  const auto off = [&](std::size_t coordinate) { return read[coordinate].error + Upper(0.5) * read.back().error; };
  if (output.cases.empty() && !(off(output.coordinate) < Upper(0.5)))
    throw NotProved("the error of the output reaches ½", read[output.coordinate].origin);
  const double greatest = 20 + 2 * (static_cast<double>(output.cases.size()) - 1);
  for (const model::Output::Case& one_case : output.cases)
    if (!(Upper(greatest) * off(one_case.coordinate) < Upper(0.5)))
      throw NotProved("the error of the output reaches the distance of the labels", read[one_case.coordinate].origin);
}

}  // namespace quench::certify
