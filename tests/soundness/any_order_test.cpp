// Certificates promise their bounds for sums over positions in any order; executors have one. Here the weights of heads
// are formed as the reference executor does and then summed in other orders: from the right, the small ones or the
// great ones first, in pairs, along random trees, numerator and denominator each in an order of its own. No result may
// be further from the intended one than the head's line says.
#include <gtest/gtest.h>

#include <cmath>

#include "model/position.h"
#include "run/reference/arithmetic.h"
#include "run/reference/chosen_rows.h"
#include "run/structured/structured_executor.h"
#include "soundness/campaign.h"
#include "soundness/orders.h"

namespace quench::test {
namespace {

class AnyOrder {
 public:
  AnyOrder(const lang::Formula& formula, const model::Transformer& model, NumberFormat format)
      : formula_(formula),
        model_(model),
        format_(format),
        finding_(certify::certify(model, certify::Arithmetic::of(format), certify::Summation::normalise_last)),
        plan_(run::make_reference_plan(model, {format, false})),
        rows_(model, {format, false}),
        hard_(model, {NumberFormat::f64, true}),
        ideal_(model, {{NumberFormat::f64, false}, false, true}) {}

  double worst = 0;  ///< measured error / bound
  std::uint64_t length() const { return finding_.length; }

  void check(const Word& word, Random& random) {
    const std::size_t n = word.size();
    std::vector<std::size_t> positions{1, 2, n / 2, n - 1, n};
    for (int k = 0; k < 6; ++k) positions.push_back(1 + random.below(n));
    std::erase_if(positions, [&](std::size_t i) { return i < 1 || i > n; });
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    run::ReferenceRows::Rows rows = rows_.embed(word, positions), intended = hard_.embed(word, positions);
    std::size_t line = 0;
    ideal_.run(run::Batch::of(word), planes_, [&](int sublayer) {
      const auto l = static_cast<std::size_t>(sublayer / 2);
      if (sublayer % 2 == 1 || l == model_.layers.size()) return;
      const run::ReferenceRows::Rows before = rows;
      rows_.attention(l, planes_.doubles, rows);
      hard_.attention(l, planes_.doubles, intended);
      for (std::size_t h = 0; h < model_.layers[l].heads.size(); ++h, ++line)
        for (std::size_t r = 0; r < positions.size(); ++r) check_row(l, h, line, before, r, intended, random);
      rows_.feed_forward(l, rows);
      hard_.feed_forward(l, intended);
    });
  }

 private:
  /// What the row itself holds replaces what the ideal network gives its position.
  double held(const run::ReferenceRows::Rows& rows, std::size_t r, std::size_t column, std::size_t j) const {
    return j + 1 == rows.positions[r] ? rows.residual(r, column) : planes_.doubles[column][j];
  }

  void check_row(std::size_t l, std::size_t h, std::size_t line, const run::ReferenceRows::Rows& rows, std::size_t r,
                 const run::ReferenceRows::Rows& intended, Random& random) {
    const run::HeadPlan& head = plan_.layers[l].heads[h];
    const std::size_t n = planes_.doubles.front().size(), i = rows.positions[r];
    const KeyRange range = visible(head.mask, i, n);
    const std::size_t first = range.first - 1, count = range.last + 1 - range.first;
    Terms weights(count), values(count * head.d_v);
    run::with_arithmetic(format_, [&](const auto& arithmetic) {
      std::vector<double> at(planes_.doubles.size()), q(head.components), keys(head.components * count);
      const auto load = [&](std::size_t j) {
        for (std::size_t k = 0; k < at.size(); ++k) at[k] = arithmetic.s(held(rows, r, k, j));
      };
      load(i - 1);
      for (const auto& row : head.q.rows) q[row.index] = arithmetic.s(arithmetic.dot(head.q, row, at.data()));
      for (std::size_t j = 0; j < count; ++j) {
        load(first + j);
        for (const auto& row : head.k.rows)
          keys[row.index * count + j] = arithmetic.s(arithmetic.dot(head.k, row, at.data()));
        for (const auto& row : head.v.rows)
          values[row.index * count + j] = arithmetic.s(arithmetic.dot(head.v, row, at.data()));
      }
      arithmetic.score(head, q.data(), keys.data(), count, count, model::inverse_temperature(head.temperature, i, n),
                       weights.data());
      arithmetic.weigh(head.weighting, weights.data(), count);
    });
    const FloatFormat &compute = compute_format(format_), &storage = storage_format(format_);
    for (std::size_t x = 0; x < head.d_v; ++x) {
      const std::optional<double> goal = intended_result(l, h, x, intended, r);
      if (!goal) continue;
      Terms terms(count);
      for (std::size_t j = 0; j < count; ++j) terms[j] = round_to(compute, weights[j] * values[x * count + j]);
      for (const Order above : kOrders)
        for (const Order below : kOrders) {
          const double numerator = summed(compute, terms, above, random);
          const double denominator = summed(compute, weights, below, random);
          const double result = round_to(storage, round_to(compute, numerator / denominator));
          const double error = std::fabs(result - *goal), bound = finding_.heads[line].bound;
          const double slack = 8 * static_cast<double>(n) * 0x1p-53 * std::max(1.0, std::fabs(*goal));
          ASSERT_LE(error, bound + slack)
              << "UNSOUND: " << finding_.heads[line].name << " of " << lang::print(formula_) << " by " << model_.recipe
              << " in " << to_string(format_) << " at n = " << n << ", i = " << i;
          if (bound > 4 * slack) worst = std::max(worst, error / bound);
        }
    }
  }

  /// Results go to coordinates of their own.
  std::optional<double> intended_result(std::size_t l, std::size_t h, std::size_t x,
                                        const run::ReferenceRows::Rows& intended, std::size_t r) const {
    const SparseMatrix& o = model_.layers[l].heads[h].o;
    for (std::size_t k = 0; k < o.rows.size(); ++k)
      for (const SparseMatrix::Entry& entry : o.rows[k])
        if (entry.column == x) return intended.residual(r, k);
    return std::nullopt;
  }

  const lang::Formula& formula_;
  const model::Transformer& model_;
  NumberFormat format_;
  certify::Finding finding_;
  run::ReferencePlan plan_;
  run::ReferenceRows rows_, hard_;
  run::StructuredExecutor ideal_;
  run::StructuredExecutor::Workspace planes_;
};

struct OrderCase {
  const char *text, *recipe;
  NumberFormat format;
  double tight;  ///< the greatest share of a bound that is reached, at least
};
const OrderCase kCases[] = {
    {"prev Q_a", "12a", NumberFormat::f16_pure, 0.1},
    {"Q_a S Q_b", "15a", NumberFormat::f16_pure, 0.1},
    {"Q_a S Q_b", "16b", NumberFormat::m10, 0.1},
    {"#<[Q_a] > 0", "tight", NumberFormat::m9, 0},
    {"#<[Q_a] >= #<[Q_b]", "tight", NumberFormat::m9, 0},
    {"#<[Q_a] >= #<[Q_b]", "tight-decoder", NumberFormat::m9, 0.1},
    {"3*#<[Q_a] >= 2*#<[Q_b] + 1", "tight-position", NumberFormat::f16_pure, 0.1},
    {"#<[Q_a] >= #>[Q_b]", "tight", NumberFormat::m12, 0.1},
    {"#<[Q_a] >= #>[Q_b]", "tight-position", NumberFormat::f16_pure, 0.1},
    {"3*#<[Q_a] = 2*#>[Q_b] + #[Q_b]", "tight", NumberFormat::m16, 0.1},
    {"odd(#<[Q_a])", "20a", NumberFormat::m12, 0.1},
    {"#<[Q_a] >= #<[Q_b]", "23", NumberFormat::m14, 0.1},
};

TEST(AnyOrder, OfSummationStaysWithinTheBounds) {
  for (const OrderCase& each : kCases) {
    const lang::Formula formula = driver::parse(each.text);
    lower::RecipeOptions options;
    options.recipe = each.recipe;
    const model::Transformer model = driver::compile(formula, options).model;
    AnyOrder orders(formula, model, each.format);
    ASSERT_GT(orders.length(), 1u) << each.text;
    const auto longest = static_cast<std::size_t>(std::min<std::uint64_t>(orders.length(), 600));
    Random random(longest);
    const std::vector<verify::Pattern> patterns = verify::adversarial_patterns(formula);
    for (const std::size_t n : {longest, longest, longest, longest / 2 + 1})
      for (int k = 0; k < 3; ++k) {
        const std::optional<Word> word =
            verify::pattern_word(formula, patterns[k == 0 ? 0 : random.below(patterns.size())], n, random.below(1000));
        if (word) orders.check(*word, random);
      }
    EXPECT_GE(orders.worst, each.tight) << each.text << " by " << each.recipe;
    std::printf("%s by %s: worst %.3f\n", each.text, each.recipe, orders.worst);
    if (::testing::Test::HasFailure()) return;
  }
}

/// Why counts are certified to 2^p only: the quotient of one sum of 1,025 ones by another is ½ if they are added up in
/// different orders, although the reference executor, which adds both alike, is right.
TEST(AnyOrder, LosesCountsBeyondTheMantissa) {
  const FloatFormat& format = compute_format(NumberFormat::m9);
  Random random(1);
  const Terms ones(1025, 1.0);
  EXPECT_EQ(summed(format, ones, Order::left_to_right, random), 512);
  EXPECT_GE(summed(format, ones, Order::pairs, random), 1024);
}

}  // namespace
}  // namespace quench::test
