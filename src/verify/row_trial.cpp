#include "verify/row_trial.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "oracle/evaluate.h"
#include "verify/words/near_ties.h"

namespace quench::verify {
namespace {

constexpr std::size_t kSuspects = 4;  // positions per coordinate and reason

/// The positions of the greatest of n numbers, at most kSuspects, none that are 0.
template <class Size>
void add_greatest(std::size_t n, const Size& size, std::vector<std::size_t>& positions) {
  std::vector<std::pair<double, std::size_t>> best;
  for (std::size_t j = 0; j < n; ++j) {
    const double x = size(j);
    if (!(x > 0) || (best.size() == kSuspects && x <= best.front().first)) continue;
    if (best.size() == kSuspects) {
      std::pop_heap(best.begin(), best.end(), std::greater<>());
      best.pop_back();
    }
    best.emplace_back(x, j + 1);
    std::push_heap(best.begin(), best.end(), std::greater<>());
  }
  for (const auto& [x, position] : best) positions.push_back(position);
}

/// Whether one key is meant to be ahead of others that come close: that is where formats fail first.
bool singles_out_a_key(HeadStructure structure) {
  switch (structure) {
    case HeadStructure::tie_break:
    case HeadStructure::previous:
    case HeadStructure::match:
      return true;
    case HeadStructure::none:
    case HeadStructure::uniform:
    case HeadStructure::any:
    case HeadStructure::sign:
    case HeadStructure::sink:
    case HeadStructure::lookup:
    case HeadStructure::address:
    case HeadStructure::dyadic:
    case HeadStructure::other:
      return false;
  }
  return false;
}

void tidy(std::vector<std::size_t>& positions, std::size_t n) {
  std::erase_if(positions, [&](std::size_t i) { return i < 1 || i > n; });
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
}

/// A third anywhere, a third in the last quarter, where numbers are greatest, a third where the answer has just
/// changed: there a count is next to its threshold.
void add_random(const std::vector<std::uint8_t>& expected, std::size_t count, std::uint64_t seed,
                std::vector<std::size_t>& positions) {
  const std::size_t n = expected.size();
  std::vector<std::size_t> changes;
  for (std::size_t i = 2; i <= n; ++i)
    if (expected[i - 1] != expected[i - 2]) changes.push_back(i);
  Random random(seed * 7919 + n);
  for (std::size_t k = 0; k < count; ++k) {
    if (k % 3 == 0 && !changes.empty())
      positions.push_back(changes[random.below(changes.size())] - random.below(2));
    else
      positions.push_back(k % 3 == 1 ? 1 + random.below(n) : n - random.below(n / 4));
  }
}

/// Coordinates that heads of a layer write.
std::vector<std::size_t> written(const model::Layer& layer) {
  std::vector<std::size_t> coordinates;
  for (const model::Head& head : layer.heads)
    for (std::size_t k = 0; k < head.o.rows.size(); ++k)
      if (!head.o.rows[k].empty()) coordinates.push_back(k);
  std::sort(coordinates.begin(), coordinates.end());
  coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
  return coordinates;
}

/// NaN counts as infinitely far.
double distance(double a, double b) {
  const double d = std::fabs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

}  // namespace

RowTrial::RowTrial(const model::Transformer& model, const lang::Formula& formula, NumberFormat format)
    : model_(model),
      formula_(formula),
      format_(format),
      whole_(model, {format, false}),
      whole_hard_(model, {NumberFormat::f64, true}),
      rows_(model, {format, false}),
      rows_hard_(model, {NumberFormat::f64, true}),
      plan_(run::make_reference_plan(model, {format, false})),
      ideal_(model, {{NumberFormat::f64, false}, false, true}),
      quick_(model, {{NumberFormat::f32, false}, false, true}) {
  for (const std::string& symbol : formula.alphabet.symbols()) to_model_.push_back(model.alphabet.find(symbol));
}

Word RowTrial::for_model(Word word) const {
  for (Symbol& symbol : word)
    if (symbol >= 0) symbol = to_model_[static_cast<std::size_t>(symbol)];
  return word;
}

RowTrial::Outcome RowTrial::run_structured(const Word& word) {
  const std::vector<std::uint8_t> expected = oracle::evaluate(formula_, word);
  Outcome outcome;
  outcome.whole = true;
  outcome.rows = word.size();
  std::vector<double> outputs;
  quick_.outputs(run::Batch::of(for_model(word)), quick_planes_, outputs);
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((outputs[i] >= 0.5) != (expected[i] != 0)) outcome.wrong.push_back({i + 1, expected[i] != 0});
  return outcome;
}

RowTrial::Outcome RowTrial::run(const Word& word, std::uint64_t seed, bool measure) {
  const std::vector<std::uint8_t> expected = oracle::evaluate(formula_, word);
  const Word model_word = for_model(word);
  if (word.size() <= whole_up_to) return run_whole(model_word, expected, measure);

  Outcome outcome;
  using Rows = run::ReferenceRows::Rows;
  Rows rows = rows_.embed(model_word, choose(model_word, expected, seed)), intended;
  if (measure) {
    intended = rows_hard_.embed(model_word, rows.positions);
    outcome.head_errors = outcome.head_sizes = std::vector<double>(model_.head_count(), 0.0);
  }
  ideal_.run(run::Batch::of(model_word), planes_, [&](int sublayer) {
    const auto l = static_cast<std::size_t>(sublayer / 2);
    if (sublayer % 2 == 1 || l == model_.layers.size()) return;
    rows_.attention(l, planes_.doubles, rows);
    if (measure) {
      rows_hard_.attention(l, planes_.doubles, intended);
      measure_layer(l, rows, intended, outcome);
      rows_hard_.feed_forward(l, intended);
    }
    rows_.feed_forward(l, rows);
  });
  const std::vector<double>& answers = planes_.doubles[model_.output.coordinate];
  outcome.ideal = run::booleans(answers) == expected;
  outcome.rows = rows.positions.size();
  for (std::size_t r = 0; r < rows.positions.size(); ++r)
    if (run::booleans({rows_.output(rows, r)})[0] != expected[rows.positions[r] - 1])
      outcome.wrong.push_back({rows.positions[r], expected[rows.positions[r] - 1] != 0});
  return outcome;
}

RowTrial::Outcome RowTrial::run_whole(const Word& word, const std::vector<std::uint8_t>& expected, bool measure) {
  Outcome outcome;
  outcome.whole = true;
  outcome.rows = word.size();
  std::vector<Matrix> after_attention;
  run::Observer keep;
  if (measure)
    keep.residual = [&](int sublayer, Matrix& residual) {
      if (sublayer % 2 == 1) after_attention.push_back(residual);
    };
  const Matrix& result = whole_.run(word, workspace_, keep);
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((result(i, model_.output.coordinate) >= 0.5) != (expected[i] != 0))
      outcome.wrong.push_back({i + 1, expected[i] != 0});
  if (measure) {
    std::vector<std::size_t> positions(word.size());
    for (std::size_t i = 0; i < word.size(); ++i) positions[i] = i + 1;
    outcome.head_errors = outcome.head_sizes = std::vector<double>(model_.head_count(), 0.0);
    keep.residual = [&](int sublayer, Matrix& residual) {
      if (sublayer % 2 == 0) return;
      const auto l = static_cast<std::size_t>(sublayer / 2);
      measure_layer(l, {positions, after_attention[l]}, {positions, residual}, outcome);
    };
    whole_hard_.run(word, workspace_, keep);
  }
  return outcome;
}

void RowTrial::measure_layer(std::size_t l, const run::ReferenceRows::Rows& rows,
                             const run::ReferenceRows::Rows& intended, Outcome& outcome) const {
  std::size_t number = 0;
  for (std::size_t before = 0; before < l; ++before) number += model_.layers[before].heads.size();
  for (const model::Head& head : model_.layers[l].heads) {
    double& worst = outcome.head_errors[number];
    double& greatest = outcome.head_sizes[number++];
    for (std::size_t k = 0; k < head.o.rows.size(); ++k)
      if (!head.o.rows[k].empty())
        for (std::size_t r = 0; r < rows.positions.size(); ++r) {
          worst = std::max(worst, distance(rows.residual(r, k), intended.residual(r, k)));
          greatest = std::max(greatest, std::fabs(intended.residual(r, k)));
        }
  }
}

/// The ends, the middle, powers of two and their neighbours, where answers change, where the fast executor in the
/// format is furthest from the ideal one, where scores nearly tie, and a few at random.
std::vector<std::size_t> RowTrial::choose(const Word& word, const std::vector<std::uint8_t>& expected,
                                          std::uint64_t seed) {
  const std::size_t n = word.size();
  std::vector<std::size_t> positions{1, 2, n / 2, n / 2 + 1, n - 2, n - 1, n};
  const std::size_t power = power_above(n) / 2;  // below n
  for (const std::size_t p : {power, power / 2})
    for (const std::size_t i : {p - 1, p, p + 1}) positions.push_back(i);
  int changes = 0;
  for (std::size_t i = n; i > 1 && changes < 3; --i)
    if (expected[i - 1] != expected[i - 2]) {
      positions.insert(positions.end(), {i - 1, i});
      ++changes;
    }
  if (format_ == NumberFormat::f32) add_suspects(word, expected, positions);
  add_ties(word, positions);
  const double keys = static_cast<double>(n * std::max<std::size_t>(model_.head_count(), 1));
  const bool single = compute_format(format_).precision == 24;  // an order of magnitude faster
  const auto budget = static_cast<std::size_t>(std::max((single ? 30 : 1) * effort / keys, 4.0));
  if (budget >= n)
    for (std::size_t i = 1; i <= n; ++i) positions.push_back(i);
  else
    add_random(expected, budget, seed, positions);
  tidy(positions, n);
  return positions;
}

/// Where two keys nearly tie that should not.
void RowTrial::add_ties(const Word& word, std::vector<std::size_t>& positions) {
  ideal_.run(run::Batch::of(word), planes_, [&](int sublayer) {
    const auto l = static_cast<std::size_t>(sublayer / 2);
    if (sublayer % 2 == 1 || l == model_.layers.size()) return;
    for (std::size_t h = 0; h < model_.layers[l].heads.size(); ++h) {
      if (singles_out_a_key(model_.layers[l].heads[h].claim.structure.value()))
        add_near_ties(plan_.layers[l].heads[h], format_, planes_.doubles, positions);
    }
  });
}

void RowTrial::add_suspects(const Word& word, const std::vector<std::uint8_t>& expected,
                            std::vector<std::size_t>& positions) {
  const std::size_t n = word.size();
  std::vector<std::vector<float>> kept;  // what the heads wrote, in the order of layers and coordinates
  quick_.run(run::Batch::of(word), quick_planes_, [&](int sublayer) {
    if (sublayer % 2 == 1)
      for (const std::size_t k : written(model_.layers[static_cast<std::size_t>(sublayer / 2)]))
        kept.push_back(quick_planes_.floats[k]);
  });
  const std::vector<float>& answers = quick_planes_.floats[model_.output.coordinate];
  add_greatest(
      n, [&](std::size_t j) { return (answers[j] >= 0.5f) != (expected[j] != 0) ? 1.0 : 0.0; }, positions);
  std::size_t next = 0;
  ideal_.run(run::Batch::of(word), planes_, [&](int sublayer) {
    if (sublayer % 2 == 0) return;
    for (const std::size_t k : written(model_.layers[static_cast<std::size_t>(sublayer / 2)])) {
      const std::vector<float>& single = kept[next++];
      const std::vector<double>& exact = planes_.doubles[k];
      add_greatest(
          n, [&](std::size_t j) { return distance(static_cast<double>(single[j]), exact[j]); }, positions);
    }
  });
}

}  // namespace quench::verify
