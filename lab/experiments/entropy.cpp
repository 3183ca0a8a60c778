// Attention from warm to cold: entropy, how much gradient gets through, what 1/√d_k is for, and how long attention
// takes to leave a position that dominates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/health/health.h"
#include "attention/weighting/softmax.h"
#include "lab/catalogue.h"
#include "lab/report/fit.h"
#include "lab/languages.h"
#include "lab/models.h"
#include "run/reference/reference.h"

namespace quench::lab {
namespace of_entropy {

constexpr const char* kCooling = "cooling, random vectors";
constexpr const char* kHead = "cooling, compiled head";
constexpr const char* kWidth = "width";
constexpr const char* kLeaving = "leaving";
constexpr double kVanished = 0.01;  // of the gradient that uniform attention would pass

double gaussian(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * 3.14159265358979323846 * random.unit());
}
Matrix gaussians(Random& random, std::size_t rows, std::size_t cols) {
  Matrix matrix(rows, cols);
  for (double& value : matrix.data) value = gaussian(random);
  return matrix;
}
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Row line(const char* what, const std::string& name, double x, double entropy, double saturation, double gain,
         const std::array<double, 4>& bands) {
  return row(what, name, x, entropy, saturation, gain, bands[0], bands[1], bands[2], bands[3], std::nan(""));
}

std::vector<Row> measure_cooling(const Settings& settings) {
  const std::size_t n = settings.quick ? 64 : 256, d = 16;
  Random random(settings.seed);
  const Matrix q = gaussians(random, n, d), k = gaussians(random, n, d), v = gaussians(random, n, d),
               upstream = gaussians(random, n, d);
  std::vector<Row> rows;
  for (int step = 12; step >= -36; --step) {
    const double tau = std::exp2(step / 3.0);
    const attention::Attention head{.weighting = attention::Softmax{tau}};
    const attention::HealthReport found = attention::examine(head, q, k, v, {.d_output = upstream});
    std::array<double, 4> bands{};
    for (std::size_t b = 0; b < 4; ++b) bands[b] = static_cast<double>(found.bands[b]) / static_cast<double>(n);
    rows.push_back(line(kCooling, "random vectors, d = 16", tau, mean(found.entropy), mean(found.saturation),
                        median(found.gain) * static_cast<double>(n), bands));
  }
  return rows;
}

/// Every head of a compiled network at multiples of its own temperature.
std::vector<Row> measure_heads(const Settings& settings) {
  const std::size_t n = 64;
  const Language& flip_flop = language("flip-flop");
  const model::Transformer model = compiled(flip_flop.text, flip_flop.recipe);
  const Word word = draw_words(flip_flop, rule_of(flip_flop.text), settings.seed, 1, n)[0].word;
  std::vector<Row> rows;
  for (int step = 18; step >= -12; --step) {
    const double factor = std::exp2(step / 2.0);
    struct Sums {
      double entropy = 0, saturation = 0, count = 0;
      std::vector<double> gains;
      std::array<double, 4> bands{};
    };
    std::vector<std::vector<Sums>> sums;
    for (const model::Layer& layer : model.layers) sums.emplace_back(layer.heads.size());
    Random random(settings.seed + 1);
    run::Observer observer;
    observer.row = [&](run::HeadIndex head, std::size_t i, std::size_t, const std::vector<double>& weights) {
      if (i < n / 2) return;
      Sums& sum = sums[head.layer][head.head];
      double entropy = 0;
      for (const double weight : weights) entropy -= weight > 0 ? weight * std::log(weight) : 0;
      std::vector<double> upstream(weights.size());
      for (double& g : upstream) g = gaussian(random);
      sum.entropy += entropy;
      sum.saturation += attention::saturation(weights);
      sum.gains.push_back(attention::gradient_gain(weights, upstream) * static_cast<double>(weights.size()));
      sum.bands[static_cast<std::size_t>(attention::entropy_band(entropy))] += 1;
      sum.count += 1;
    };
    // Every head keeps its own τ(n), times the factor: W_Q is scaled, the rounding afterwards sees what comes of it.
    const model::Transformer warmed =
        at_temperature(frozen_at(model, n), factor, [](const model::Head&) { return true; });
    run::outputs(warmed, word, {}, observer);
    for (std::size_t l = 0; l < sums.size(); ++l)
      for (std::size_t h = 0; h < sums[l].size(); ++h) {
        Sums& sum = sums[l][h];
        for (double& band : sum.bands) band /= sum.count;
        rows.push_back(line(kHead, fmt::format("{}.{} {}", l, h, model.layers[l].heads[h].claim.structure.text()),
                            factor, sum.entropy / sum.count, sum.saturation / sum.count, median(sum.gains), sum.bands));
      }
  }
  return rows;
}

/// Dot products with and without 1/√d_k, as vectors become wider.
std::vector<Row> measure_width(const Settings& settings) {
  const std::size_t n = settings.quick ? 64 : 256;
  std::vector<Row> rows;
  for (std::size_t d = 4; d <= (settings.quick ? 256u : 1024u); d *= 2) {
    Random random(settings.seed * 13 + d);
    const Matrix q = gaussians(random, n, d), k = gaussians(random, n, d), v = gaussians(random, n, 4),
                 upstream = gaussians(random, n, 4);
    for (const bool scaled : {true, false}) {
      attention::Attention head;
      if (!scaled)
        head.weighting = attention::Softmax{1 / std::sqrt(static_cast<double>(d))};  // undoes ScaledDot's 1/√d_k
      const attention::HealthReport found = attention::examine(head, q, k, v, {.d_output = upstream});
      std::array<double, 4> bands{};
      for (std::size_t b = 0; b < 4; ++b) bands[b] = static_cast<double>(found.bands[b]) / static_cast<double>(n);
      rows.push_back(line(kWidth, scaled ? "with 1/√d" : "without 1/√d", static_cast<double>(d), mean(found.entropy),
                          mean(found.saturation), median(found.gain) * static_cast<double>(n), bands));
    }
  }
  return rows;
}

/// One score leads by S; gradient steps of length 1 on the scores until the wanted position has more than half.
std::vector<Row> measure_leaving(const Settings& settings) {
  const std::size_t n = 16;
  const std::size_t limit = settings.quick ? 100'000 : 3'000'000;
  std::vector<Row> rows;
  for (int lead = 0; lead <= (settings.quick ? 10 : 13); ++lead) {
    for (const bool logarithmic : {false, true}) {
      std::vector<double> scores(n, 0), weights(n), d_weights(n, 0), d_scores(n);
      scores[0] = lead;
      std::size_t steps = 0;
      for (; steps < limit; ++steps) {
        attention::softmax(scores, 1, weights);
        if (weights[1] > 0.5) break;
        if (logarithmic) {  // loss −log α₁
          std::vector<double> log_weights(n), d_log(n, 0);
          attention::log_softmax(scores, 1, log_weights);
          d_log[1] = -1;
          attention::log_softmax_backward(scores, 1, log_weights, d_log, d_scores);
        } else {  // loss −α₁: what flows back through the value of the head
          d_weights[1] = -1;
          attention::softmax_backward(scores, 1, weights, d_weights, d_scores);
        }
        for (std::size_t j = 0; j < n; ++j) scores[j] -= d_scores[j];
      }
      rows.push_back(row(kLeaving, logarithmic ? "loss −log α" : "loss −α (through the values)", lead, std::nan(""),
                         std::nan(""), std::nan(""), std::nan(""), std::nan(""), std::nan(""), std::nan(""),
                         steps < limit ? static_cast<double>(steps) : std::nan("")));
    }
  }
  return rows;
}

std::vector<Case> cases(const Settings& settings) {
  return {{"cooling", [settings] { return measure_cooling(settings); }},
          {"heads", [settings] { return measure_heads(settings); }},
          {"width", [settings] { return measure_width(settings); }},
          {"leaving", [settings] { return measure_leaving(settings); }}};
}

/// The warmest τ from which on, colder, a typical row passes less than 1 % of what uniform attention passes, and the
/// entropy there.
struct Vanishing {
  double tau = std::nan(""), entropy = std::nan("");
};

Vanishing vanishing(const Table& rows) {
  Vanishing found;
  for (std::size_t r = rows.rows.size(); r-- > 0 && rows.number(r, "gradient gain") < kVanished;)
    found = {rows.number(r, "x"), rows.number(r, "entropy (nats)")};
  return found;
}

Row summary_row(const std::string& name, const Table& rows) {
  const Vanishing found = vanishing(rows);
  return row(name, found.tau, found.entropy, rows.where("x", "1").number(0, "entropy (nats)"));
}

bool is_mean(const std::string& head) { return head.ends_with("uniform"); }

Panel bands_panel(const Table& cooling) {
  Panel bands{.title = "Random vectors: share of rows per entropy band",
              .x = {.label = "temperature τ", .scale = Scale::log2},
              .y = {.label = "share of rows", .low = -0.03, .high = 1.05}};
  const std::vector<std::pair<const char*, const char*>> names = {
      {"H < 0.5", "H < 0.5 nats"}, {"H < 1.5", "0.5 to 1.5"}, {"H < 2.5", "1.5 to 2.5"}, {"H ≥ 2.5", "above 2.5"}};
  for (const auto& [column, label] : names)
    bands.series.push_back({.label = label, .x = cooling.numbers("x"), .y = cooling.numbers(column)});
  return bands;
}

Panel entropies_panel(const Table& heads) {
  Panel entropies{.title = "Flip-flop (17a), every head, n = 64: entropy",
                  .x = {.label = "multiple of the head's own τ", .scale = Scale::log2},
                  .y = {.label = "mean entropy (nats)"}};
  for (const std::string& name : heads.distinct("name")) {
    const Table rows = heads.where("name", name);
    entropies.series.push_back({.label = name, .x = rows.numbers("x"), .y = rows.numbers("entropy (nats)")});
  }
  return entropies;
}

Panel gains_panel(const Table& cooling, const Table& heads) {
  Panel gains{.title = "Gradient that reaches the scores (uniform attention = 1)",
              .x = {.label = "multiple of the head's own τ (random vectors: τ)", .scale = Scale::log2},
              .y = {.label = "relative gradient", .scale = Scale::log10, .low = 1e-8}};
  gains.series.push_back({.label = "random vectors", .x = cooling.numbers("x"), .y = cooling.numbers("gradient gain")});
  for (const std::string& name : heads.distinct("name")) {
    const Table rows = heads.where("name", name);
    if (!is_mean(name))
      gains.series.push_back({.label = name, .x = rows.numbers("x"), .y = rows.numbers("gradient gain")});
  }
  return gains;
}

Panel peaking_panel(const Table& widths) {
  Panel peaking{.title = "Attention between random vectors of width d",
                .x = {.label = "width d", .scale = Scale::log2},
                .y = {.label = "mean entropy (nats)", .low = 0}};
  for (const std::string& name : widths.distinct("name")) {
    const Table rows = widths.where("name", name);
    peaking.series.push_back({.label = name, .x = rows.numbers("x"), .y = rows.numbers("entropy (nats)")});
  }
  return peaking;
}

Panel leaving_panel(const Table& leaving) {
  Panel slow{.title = "Gradient steps until attention has moved",
             .x = {.label = "lead S of the dominant score"},
             .y = {.label = "steps", .scale = Scale::log10}};
  for (const std::string& name : leaving.distinct("name")) {
    const Table rows = leaving.where("name", name);
    slow.series.push_back({.label = name, .x = rows.numbers("x"), .y = rows.numbers("steps")});
  }
  return slow;
}

Table summary(const Table& cooling, const Table& heads) {
  Table summary({"attention", "τ (multiple of its own) below which the gradient is under 1 % of uniform's",
                 "entropy there (nats)", "entropy at its own τ"});
  summary.rows.push_back(summary_row("random vectors", cooling));
  for (const std::string& name : heads.distinct("name"))
    summary.rows.push_back(summary_row("head " + name, heads.where("name", name)));
  return summary;
}

Finding cooling_finding(const Table& cooling) {
  const Vanishing found = vanishing(cooling);
  if (std::isnan(found.tau))
    return {Verdict::measured,
            fmt::format("between random vectors a typical row still passes more than 1 % of what uniform attention "
                        "passes at the coldest τ tried, {:.3g}.",
                        cooling.number(cooling.rows.size() - 1, "x"))};
  return {Verdict::confirmed,
          fmt::format("cooling shuts gradients off: between random vectors a typical row passes less than 1 % of "
                      "what uniform attention passes from τ = {:.3g} down, where the mean entropy is "
                      "{:.2g} nats.",
                      found.tau, found.entropy)};
}

Finding heads_finding(const Table& heads) {
  double least_open = HUGE_VAL, most_open = 0, shuts_first = 0;
  for (const std::string& name : heads.distinct("name")) {
    if (is_mean(name)) continue;
    const Table rows = heads.where("name", name);
    const double gain = rows.where("x", "1").number(0, "gradient gain"), tau = vanishing(rows).tau;
    least_open = std::min(least_open, gain);
    most_open = std::max(most_open, gain);
    if (!std::isnan(tau)) shuts_first = std::max(shuts_first, tau);
  }
  return {Verdict::measured,
          fmt::format(
              "compiled heads at their own temperature pass {:.2g} to {:.2g} of what uniform attention passes (γ = 3 "
              "leaves e⁻³ on the neighbour); the first of them falls below 1 % for good at {:.3g} times its own "
              "temperature.",
              least_open, most_open, shuts_first)};
}

Finding width_finding(const Table& widths) {
  const Table with = widths.where("name", "with 1/√d"), without = widths.where("name", "without 1/√d");
  const std::size_t last = with.rows.size() - 1;
  const double peaked = without.number(last, "entropy (nats)"), open = with.number(last, "entropy (nats)");
  return {peaked < 0.5 && open > 2.5 ? Verdict::confirmed : Verdict::measured,
          fmt::format("without 1/√d attention peaks before anything is learnt: at d = {:g} the mean "
                      "entropy is {:.2g} nats without and {:.2g} with it.",
                      with.number(last, "x"), peaked, open)};
}

Finding leaving_finding(const Table& leaving) {
  double growth = 0, linear = 0;
  for (const std::string& name : leaving.distinct("name")) {
    const Table rows = leaving.where("name", name);
    std::vector<double> x, log_steps;
    for (std::size_t r = 4; r < rows.rows.size(); ++r) {
      x.push_back(rows.number(r, "x"));
      log_steps.push_back(std::log(rows.number(r, "steps")));
    }
    if (name.starts_with("loss −α"))
      growth = fit_line(x, log_steps).slope;
    else
      linear = rows.number(rows.rows.size() - 1, "steps");
  }
  return {std::fabs(growth - 1) < 0.15 ? Verdict::confirmed : Verdict::measured,
          fmt::format("attention leaves a dominant position exponentially slowly: through the "
                      "values the steps grow as exp({:.2f}·S); with a loss on log α they do not "
                      "({:g} steps at the largest S).",
                      growth, linear)};
}

Report report(const Table& table, const Settings&) {
  const Table cooling = table.where("what", kCooling), heads = table.where("what", kHead),
              widths = table.where("what", kWidth), leaving = table.where("what", kLeaving);
  Report report;
  report.summary = summary(cooling, heads);
  report.figure.panels = {bands_panel(cooling), entropies_panel(heads), gains_panel(cooling, heads),
                          peaking_panel(widths), leaving_panel(leaving)};
  report.findings = {cooling_finding(cooling), heads_finding(heads), width_finding(widths), leaving_finding(leaving)};
  return report;
}

}  // namespace of_entropy

Experiment entropy() {
  using namespace of_entropy;
  return {
      .name = "entropy",
      .title = "Entropy and gradients as attention cools",
      .claim =
          "Cold attention is peaked and passes no gradient; dot products need 1/√d_k, or attention peaks before "
          "training starts; attention leaves a dominant position slowly. "
          "(Bands of entropy as the page on soft attention gives them: below 0.5 nats, to 1.5, to 2.5, above.)",
      .method =
          "The attention library's `examine` measures random queries and keys at falling τ: entropy of every row and "
          "|α ⊙ (g − α·g)| / |g − mean g| for a random upstream "
          "gradient g, times the number of keys (uniform attention gives 1). The same for every head of the flip-flop "
          "network (17a) at multiples of its own temperature, second "
          "half of the rows. Widths d with and without 1/√d. Gradient descent with step 1 on 16 scores of which one "
          "leads by S, until another has half of the weight.",
      .columns = {"what", "name", "x", "entropy (nats)", "saturation", "gradient gain", "H < 0.5", "H < 1.5", "H < 2.5",
                  "H ≥ 2.5", "steps"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
