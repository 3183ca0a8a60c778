// What it costs a ReLU feed-forward to round to p bits (Appendix A): networks that do it, built, run on every input and
// counted, against the lower bound.
//
// One layer takes r bits off x ∈ [0, 1): floor(2^r x)/2^r is a sum of 2^r − 1 steps, each a ramp of one input step,
// (ReLU(x − t + w) − ReLU(x − t))/w; then x ← 2^r·(x − that) and y gets what was taken off. Everything is dyadic, so
// float64 computes it without rounding.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/catalogue.h"
#include "model/transformer.h"
#include "run/reference/reference.h"

namespace quench::lab {
namespace of_rounding_cost {

constexpr std::size_t kOne = 0, kX = 1, kY = 2;

/// Rounds numbers of `input_bits` bits down to `bits` bits, `per_layer` of them in each layer. Symbol s is the number
/// s/2^input_bits.
model::Transformer rounding_network(int bits, int input_bits, int per_layer) {
  model::Transformer network;
  const std::size_t inputs = std::size_t{1} << input_bits;
  std::vector<std::string> symbols;
  for (std::size_t s = 0; s < inputs; ++s) symbols.push_back(fmt::format("x{}", s));
  network.alphabet = Alphabet(std::move(symbols));
  network.width = 3;
  network.embedding = SparseMatrix(inputs + 1, 3);
  for (std::size_t s = 0; s <= inputs; ++s) {
    network.embedding.add(s, kOne, 1);
    if (s > 0 && s < inputs) network.embedding.add(s, kX, std::ldexp(static_cast<double>(s), -input_bits));
  }
  for (int done = 0; done < bits; done += per_layer) {
    const int taken = std::min(per_layer, bits - done);
    const std::size_t steps = (std::size_t{1} << taken) - 1, hidden = 2 * steps + 1;
    const double ramp = std::ldexp(1.0, done - input_bits);  // x has been scaled up by 2^done
    model::FeedForward ffn{SparseMatrix(hidden, 3), std::vector<double>(hidden), SparseMatrix(3, hidden),
                           std::vector<double>(3)};
    for (std::size_t m = 0; m < steps; ++m) {
      const double threshold = std::ldexp(static_cast<double>(m + 1), -taken), height = std::ldexp(1.0, -taken);
      ffn.w1.add(2 * m, kX, 1);
      ffn.w1.add(2 * m + 1, kX, 1);
      ffn.b1[2 * m] = ramp - threshold;
      ffn.b1[2 * m + 1] = -threshold;
      ffn.w2.add(kY, 2 * m, std::ldexp(height / ramp, -done));
      ffn.w2.add(kY, 2 * m + 1, -std::ldexp(height / ramp, -done));
      ffn.w2.add(kX, 2 * m, -std::ldexp(height / ramp, taken));
      ffn.w2.add(kX, 2 * m + 1, std::ldexp(height / ramp, taken));
    }
    ffn.w1.add(hidden - 1, kX, 1);  // carries x: x ≥ 0
    ffn.w2.add(kX, hidden - 1, std::ldexp(1.0, taken) - 1);
    network.layers.push_back({{}, std::move(ffn)});
  }
  network.output.coordinate = kY;
  model::validate(network);
  return network;
}

std::vector<Row> measure(int bits, int per_layer) {
  const int input_bits = bits + 1;
  const model::Transformer network = rounding_network(bits, input_bits, per_layer);
  Word word(std::size_t{1} << input_bits);
  for (std::size_t s = 0; s < word.size(); ++s) word[s] = static_cast<Symbol>(s);
  const std::vector<double> rounded = run::outputs(network, word);
  std::size_t wrong = 0, pieces = 1;
  for (std::size_t s = 0; s < word.size(); ++s) {
    wrong += rounded[s] != std::ldexp(static_cast<double>(s >> 1), -bits);
    // Every break of the network lies on an input, so the slopes between neighbouring inputs show all pieces.
    if (s >= 2) pieces += rounded[s] - rounded[s - 1] != rounded[s - 1] - rounded[s - 2];
  }
  std::size_t width = 0;
  for (const model::Layer& layer : network.layers) width = std::max(width, layer.ffn.b1.size());
  const auto depth = static_cast<double>(network.layers.size());
  return {row(bits, per_layer, network.layers.size(), width, pieces, std::exp2(bits),
              std::pow(2 * static_cast<double>(width), depth), wrong)};
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (int bits = 1; bits <= (settings.quick ? 8 : 12); ++bits)
    for (int per_layer = 1; per_layer <= bits; ++per_layer) {
      const int depth = (bits + per_layer - 1) / per_layer;
      if (per_layer > 1 && (bits + per_layer - 2) / (per_layer - 1) == depth) continue;  // the same depth, but narrower
      all.push_back({fmt::format("{} bits, {} per layer", bits, per_layer),
                     [bits, per_layer] { return measure(bits, per_layer); }});
    }
  return all;
}

Panel width_panel(const Table& table, const Table& one_bit) {
  Panel width{.title = "Width of a feed-forward that rounds to p bits",
              .x = {.label = "bits p (length n = 2^p for counts)"},
              .y = {.label = "hidden units", .scale = Scale::log2}};
  for (const char* depth : {"1", "2", "3"}) {
    const Table rows = table.where("layers ℓ", depth);
    width.series.push_back({.label = fmt::format("{} layer{}", depth, depth[0] == '1' ? "" : "s"),
                            .x = rows.numbers("bits p"),
                            .y = rows.numbers("width m")});
  }
  const auto bits = one_bit.numbers("bits p");
  width.series.push_back({.label = "p layers", .x = bits, .y = one_bit.numbers("width m")});
  Series least{.label = "least possible for 1 layer, 2^p/2", .x = bits, .y = {}, .reference = true};
  for (const double p : least.x) least.y.push_back(std::exp2(p) / 2);
  width.series.push_back(least);
  width.series.push_back(
      {.label = "a Boolean (Lemma 9)", .x = bits, .y = std::vector<double>(bits.size(), 2), .style = 5});
  return width;
}

Panel pieces_panel(const Table& shallow, const Table& one_bit) {
  Panel pieces{.title = "Affine pieces", .x = {.label = "bits p"}, .y = {.label = "pieces", .scale = Scale::log10}};
  pieces.series = {
      {.label = "counted", .x = shallow.numbers("bits p"), .y = shallow.numbers("pieces")},
      {.label = "needed, 2^p", .x = shallow.numbers("bits p"), .y = shallow.numbers("2^p"), .style = 4},
      {.label = "(2m)^ℓ, 1 layer", .x = shallow.numbers("bits p"), .y = shallow.numbers("(2m)^ℓ"), .style = 1},
      {.label = "(2m)^ℓ, p layers", .x = one_bit.numbers("bits p"), .y = one_bit.numbers("(2m)^ℓ"), .style = 3}};
  return pieces;
}

Finding bound_finding(const Table& table) {
  double wrong = 0, least_ratio = 1e300;
  bool pieces_enough = true;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const double pieces = table.number(r, "pieces"), needed = table.number(r, "2^p"), most = table.number(r, "(2m)^ℓ");
    wrong += table.number(r, "wrong inputs");
    least_ratio = std::min(least_ratio, most / needed);
    pieces_enough = pieces_enough && pieces >= needed && pieces <= most;
  }
  return {wrong == 0 && pieces_enough && least_ratio >= 1 ? Verdict::confirmed : Verdict::refuted,
          fmt::format("Lemma 27: {} networks were built, {:g} inputs come out wrong, and each network has between 2^p "
                      "and (2m)^ℓ pieces; (2m)^ℓ is at least {:.3g} times 2^p.",
                      table.rows.size(), wrong, least_ratio)};
}

Finding cost_finding(const Table& shallow, const Table& one_bit) {
  const std::size_t last = shallow.rows.size() - 1, last_deep = one_bit.rows.size() - 1;
  return {Verdict::measured,
          fmt::format("rounding a count at length n = {:g} takes {:g} hidden units in one layer, or {:g} units in each "
                      "of {:g} layers: the network grows with n. Rounding a Boolean takes 2 units at every length, "
                      "which is why the constructions keep to Booleans.",
                      shallow.number(last, "2^p"), shallow.number(last, "width m"),
                      one_bit.number(last_deep, "width m"), one_bit.number(last_deep, "layers ℓ"))};
}

Report report(const Table& table, const Settings&) {
  const Table shallow = table.where("layers ℓ", "1"), one_bit = table.where("bits per layer", "1");
  Report report;
  report.summary = table;
  report.figure.panels = {width_panel(table, one_bit), pieces_panel(shallow, one_bit)};
  report.findings = {bound_finding(table), cost_finding(shallow, one_bit)};
  return report;
}

}  // namespace of_rounding_cost

Experiment rounding_cost() {
  using namespace of_rounding_cost;
  return {
      .name = "rounding-cost",
      .title = "What rounding to p bits costs a feed-forward",
      .claim =
          "A ReLU network of ℓ layers and width m that rounds to p bits has (2m)^ℓ ≥ 2^p (Lemma 27), so no fixed "
          "network "
          "rounds counts at every length.",
      .method =
          "Networks that round (p+1)-bit numbers down to p bits are written as weights, taking off r bits per layer, "
          "and "
          "the reference executor runs them on all 2^(p+1) inputs. Wrong outputs and affine pieces (changes of slope "
          "between neighbouring inputs) are counted; arithmetic is exact.",
      .columns = {"bits p", "bits per layer", "layers ℓ", "width m", "pieces", "2^p", "(2m)^ℓ", "wrong inputs"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
