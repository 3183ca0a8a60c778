// The bounds of docs/theory-tight.md against softmax rows computed from the scores they are about: they hold, and are
// not far from what the worst row attains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bounds/lemmas.h"

namespace quench::bounds {
namespace {

/// The softmax mass on 1 … m where `wrong` holds.
double wrong_mass(int m, const std::function<double(int)>& score, const std::function<bool(int)>& wrong) {
  double maximum = score(1), sum = 0, bad = 0;
  for (int j = 2; j <= m; ++j) maximum = std::max(maximum, score(j));
  for (int j = 1; j <= m; ++j) {
    const double weight = std::exp(score(j) - maximum);
    sum += weight;
    if (wrong(j)) bad += weight;
  }
  return bad / sum;
}

int alternating(int j) { return j % 2 == 0 ? 1 : -1; }

constexpr double kGammas[] = {2.7726, 3.0, 4.0, 8.0};
constexpr double kTightRounding = 1 + 1e-9;

TEST(PreviousError, HoldsForBothFormsAndIsTight) {
  for (const double gamma : kGammas) {
    double worst = 0;
    for (int i = 2; i <= 40; ++i)
      for (const double c : {2 * gamma, 3 * gamma, 64 * gamma}) {
        const auto score = [&](int j) { return -c * alternating(i + j) + gamma * j; };
        worst = std::max(worst, wrong_mass(i, score, [&](int j) { return j != i - 1; }));
      }
    EXPECT_LE(worst, previous_error(gamma) * kTightRounding);
    EXPECT_GE(worst, 0.95 * previous_error(gamma));
  }
}

TEST(AnyError, HoldsAndIsTight) {
  for (const double gamma : kGammas) {
    double worst = 0;
    for (int m = 1; m <= 30; ++m)
      worst = std::max(worst, wrong_mass(
                                  m, [&](int j) { return j == 1 ? gamma * m : 0; }, [](int j) { return j > 1; }));
    EXPECT_LE(worst, any_error(gamma) * kTightRounding);
    EXPECT_GE(worst, 0.95 * any_error(gamma));
  }
}

/// r at its smallest, of either sign.
double worst_sign(double gamma, const std::function<double(double r, int j, int m)>& score) {
  double worst = 0;
  for (int m = 2; m <= 200; ++m)
    for (const int sign : {-1, 1}) {
      const double r = sign / (2.0 * m);
      worst = std::max(worst, wrong_mass(
                                  m, [&](int j) { return 2 * gamma * score(r, j, m); },
                                  [&](int j) { return alternating(j) != sign; }));
    }
  return worst;
}

TEST(SignError, HoldsAndIsTight) {
  for (const double gamma : kGammas) {
    const double worst = worst_sign(gamma, [](double r, int j, int m) { return m * r * alternating(j); });
    EXPECT_LE(worst, sign_error(gamma) * kTightRounding);
    EXPECT_GE(worst, 0.95 * sign_error(gamma));
  }
}

TEST(LinearSignError, HoldsAndIsTight) {
  for (const double gamma : kGammas) {
    const double worst = worst_sign(gamma, [](double r, int j, int) { return r * j * alternating(j); });
    EXPECT_LE(worst, linear_sign_error(gamma) * kTightRounding);
    EXPECT_GE(worst, 0.85 * linear_sign_error(gamma));
  }
}

}  // namespace
}  // namespace quench::bounds
