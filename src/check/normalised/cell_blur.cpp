#include "check/normalised/cell_blur.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace quench::check {
namespace {

Facts facts_of(const Cells& cells) {
  std::vector<Fact> facts(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Bounds& any = cells[c].bounds.any;
    facts[c].spans = {{Number(static_cast<double>(any.low)), Number(static_cast<double>(any.high))}};
  }
  Facts result;
  result.fill(facts);
  return result;
}

Number most(const Claim& claim, const Cells& cells, const SparseMatrix::Row& row, double bias = 0) {
  return Number(static_cast<double>(size_of(total(claim, cells, row, bias).bounds.any)));
}

/// Units of one row of W_1 make up a function of one sum: its steepest part, unit by unit in the order of where they
/// set in.
Number steepest(std::map<double, double> weight_by_bias) {
  double slope = 0, greatest = 0;
  for (auto step = weight_by_bias.rbegin(); step != weight_by_bias.rend(); ++step) {
    slope += step->second;
    greatest = std::max(greatest, std::fabs(slope));
  }
  return greatest;
}

}  // namespace

CellBlur::CellBlur(const Claim& claim, const Cells& cells)
    : claim_(claim),
      everywhere_(facts_of(cells)),
      lens_(claim, everywhere_),
      u_(relative_step(claim.work)),
      n_(claim.longest) {}

Number CellBlur::seen_error(const Facts& seen, const SparseMatrix::Row& row) const {
  Number error;
  for (const auto& [column, w] : row) error += Number(std::fabs(w)) * seen[0][column].error;
  return error;
}

void CellBlur::spread() {
  for (std::size_t kind = 1; kind < kKinds; ++kind) everywhere_[kind] = everywhere_[0];
}

void CellBlur::move_to(const Cells& cells) {
  const Facts ideal = facts_of(cells);
  for (std::size_t c = 0; c < cells.size(); ++c) facts()[c].spans = ideal[0][c].spans;
}

void CellBlur::pass_heads(const Cells& before, const Cells& after, const model::Layer& layer, const Line* lines) {
  const Facts seen = lens_.through(everywhere_, most_terms(layer));
  const Number one(1), two(2), tiny = Number::two_to(claim_.work.min_exponent - claim_.work.precision + 2);
  double results = 3;
  for (const model::Head& head : layer.heads) results += static_cast<double>(head.v.rows.size());
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const model::Head& head = layer.heads[h];
    const Number rows(static_cast<double>(head.q.rows.size()));
    Number off;
    for (std::size_t l = 0; l < head.q.rows.size(); ++l) {
      if (head.q.rows[l].empty() || head.k.rows[l].empty()) continue;
      const Number q = most(claim_, before, head.q.rows[l]), k = most(claim_, before, head.k.rows[l]);
      const Number dq = seen_error(seen, head.q.rows[l]), dk = seen_error(seen, head.k.rows[l]);
      off += q * dk + dq * k + dq * dk + (rows + two) * u_ * (q + dq) * (k + dk);
    }
    off = off / rows.root();
    const Number behind = Number(lines[h].gap) - two * off;
    if (claim_.longest > 1 && !(Number(0) < behind)) throw Rejected("scores are not apart");
    const Number mass = (n_ - one) * (one + Number(4) * u_) * (Number(0) - behind).exponential() + n_ * tiny;
    const Number delta = (n_ * u_).exponential() - one;
    const Number lost = min(mass * (one + two * delta), (one + mass) * delta);
    const Number mixing = min(mass, mass / (one + mass) + lost) + lost + two * u_ * (one + mass + lost);
    Number tied;  // keys that should weigh the same, and do not quite
    if (head.claim.lemma == Lemma::q_count)
      tied = (two * off).exponential() - one + two * (((n_ + two) * u_).exponential() - one);
    for (std::size_t c = 0; c < head.o.rows.size(); ++c)
      for (const auto& [l, w] : head.o.rows[c]) {
        const Number own = seen_error(seen, head.v.rows[l]), size = most(claim_, before, head.v.rows[l]);
        Number error = (two * mixing + tied) * (size + own) + own * (one + mixing);
        error += two * u_ * (size + error);
        facts()[c].error += Number(std::fabs(w)) * (error + Number(results) * u_ * (size + error));
      }
  }
  move_to(after);
  for (Fact& fact : facts())
    if (!fact.error.zero()) fact.error += u_ * (fact.size() + fact.error);
  spread();
  lens_.after_heads(everywhere_, layer);
}

void CellBlur::pass_units(const Cells& before, const Cells& after, const model::FeedForward& ffn) {
  const Facts seen = lens_.through(everywhere_, most_terms(ffn.w1) + 1);
  const Number roundings = Number(static_cast<double>(ffn.b1.size()) + 3) * u_;
  const Facts ideal = facts_of(after);
  for (std::size_t c = 0; c < ffn.w2.rows.size(); ++c) {
    if (ffn.w2.rows[c].empty() && ffn.b2[c] == 0) continue;
    std::map<std::vector<std::pair<std::uint32_t, double>>, std::map<double, double>> functions;
    Number more = roundings * Number(std::fabs(ffn.b2[c]));
    for (const auto& [unit, w] : ffn.w2.rows[c]) {
      std::vector<std::pair<std::uint32_t, double>> key;
      for (const auto& [column, weight] : ffn.w1.rows[unit]) key.emplace_back(column, weight);
      functions[key][ffn.b1[unit]] += w;
      const Number reach = most(claim_, before, ffn.w1.rows[unit], ffn.b1[unit]) + seen_error(seen, ffn.w1.rows[unit]);
      more +=
          Number(std::fabs(w)) * (roundings * reach + unshared_noise(claim_, seen[0], ffn.w1.rows[unit], ffn.b1[unit]));
    }
    for (const auto& [row, weights] : functions) {
      Number error;
      for (const auto& [column, weight] : row) error += Number(std::fabs(weight)) * seen[0][column].error;
      more += steepest(weights) * error;
    }
    Fact& fact = facts()[c];
    fact.error += more;
    fact.error += u_ * (ideal[0][c].size() + fact.error);
  }
  move_to(after);
  spread();
  lens_.after_units(everywhere_, seen, ffn);
}

}  // namespace quench::check
