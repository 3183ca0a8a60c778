// Heads for each of the linear methods, by their queries, keys and values.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/number/random.h"
#include "run/structured/pass.h"

namespace quench::test {

using run::kLanes;
inline constexpr std::size_t kWindow = 8 * kLanes;  // several windows even in short words

/// q and k by component, one value, by position; the scale by position.
struct Numbers {
  std::vector<std::vector<double>> q, k;
  std::vector<double> v, scale;
};

struct Pattern {
  const char* name;
  run::Method method;
  std::vector<Mask> masks;
  std::function<Numbers(Random&, std::size_t n, Mask mask)> make;
  std::size_t few = run::kMostScanClasses;  ///< words up to this length may have few classes of keys
};

inline std::vector<double> by_position(std::size_t n, const std::function<double(double)>& f) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= n; ++i) values.push_back(f(static_cast<double>(i)));
  return values;
}

inline double sign(double i) { return std::fmod(i, 2) == 0 ? 1 : -1; }

/// Which position in the order of the scan, from 1.
inline std::function<double(double)> rank_by(Mask mask, std::size_t n) {
  const bool backwards = run::ScanOrder(mask).backwards;
  return [=](double i) { return backwards ? static_cast<double>(n) + 1 - i : i; };
}

inline std::vector<Pattern> patterns() {
  const std::vector<Mask> all = {Mask::future, Mask::past, Mask::none, Mask::strict_future, Mask::strict_past};
  const auto some = [](Random& random) { return [&](double) { return random.chance(0.3) ? 1.0 : 0.0; }; };
  const auto ones = [](std::size_t n) { return std::vector<double>(n, 1.0); };
  return {
      {"uniform", run::Method::scan, all,
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{{}, {}, by_position(n, some(random)), ones(n)};
       }},
      {"tie-break", run::Method::scan, all,
       [=](Random& random, std::size_t n, Mask mask) {
         const double length = static_cast<double>(n), way = run::ScanOrder(mask).backwards ? -1 : 1;
         const std::vector<double> chosen = by_position(n, some(random));
         return Numbers{{std::vector<double>(n, 6)},
                        {by_position(n,
                                     [&](double j) {
                                       return chosen[static_cast<std::size_t>(j) - 1] +
                                              way * std::round(j * 64 / length) / 128;
                                     })},
                        by_position(n, some(random)),
                        std::vector<double>(n, length)};
       }},
      {"parities", run::Method::scan, all,
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{{by_position(n, [](double i) { return -0.5 * sign(i); }), std::vector<double>(n, 0.25)},
                        {by_position(n, sign), by_position(n, [](double j) { return j / 16; })},
                        by_position(n, some(random)),
                        ones(n)};
       }},
      {"three classes", run::Method::scan, all,
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{{by_position(n, [&](double) { return random.unit() - 0.5; })},
                        {by_position(n, [](double j) { return std::fmod(j, 3) - 1; })},
                        by_position(n, [&](double) { return random.unit(); }),
                        ones(n)};
       }},
      {"lookup",
       run::Method::lookup,
       {Mask::future, Mask::past, Mask::none},
       [=](Random& random, std::size_t n, Mask) {
         const double length = static_cast<double>(n);
         return Numbers{{by_position(n, [&](double) { return 2 * (std::round(random.unit() * length * 4) / 4 - 1); }),
                         std::vector<double>(n, 1)},
                        {by_position(n, [](double j) { return j; }), by_position(n, [](double j) { return -j * j; })},
                        by_position(n, some(random)),
                        std::vector<double>(n, 1.5)};
       }},
      {"series",
       run::Method::series,
       {Mask::future, Mask::none},
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{{by_position(n, [&](double) { return random.chance(0.2) ? 0 : (random.unit() - 0.5) / 8; })},
                        {by_position(n, [](double j) { return j * sign(j); })},
                        by_position(n, [](double j) { return sign(j) > 0 ? 0.75 : -0.25; }),
                        ones(n)};
       }},
      {"growing sharpness",
       run::Method::candidates,
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const auto rank = rank_by(mask, n);
         const std::vector<double> chosen = by_position(n, some(random));
         return Numbers{
             {std::vector<double>(n, 3)},
             {by_position(n, [&](double j) { return chosen[static_cast<std::size_t>(j) - 1] - 1 / rank(j); })},
             by_position(n, some(random)),
             by_position(n, [&](double i) { return rank(i) * rank(i); })};
       }},
      {"growing sharpness, the least key wins",
       run::Method::candidates,
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const auto rank = rank_by(mask, n);
         return Numbers{{std::vector<double>(n, -3)},
                        {by_position(n, [&](double j) { return (random.chance(0.7) ? 1 : 0) + 1 / rank(j); })},
                        by_position(n, [&](double) { return random.unit() - 0.5; }),
                        by_position(n, [&](double i) { return rank(i) * rank(i); })};
       }},
      {"growing sharpness of two components",
       run::Method::candidates,
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const auto rank = rank_by(mask, n);
         return Numbers{{std::vector<double>(n, 3), std::vector<double>(n, -1.5)},
                        {by_position(n, some(random)), by_position(n, [&](double j) { return 2 / rank(j); })},
                        by_position(n, some(random)),
                        by_position(n, [&](double i) { return rank(i) * rank(i); })};
       }},
      // The same queries through a window or two, then others; all below 0.
      {"growing sharpness, queries in steps",
       run::Method::candidates,
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const auto rank = rank_by(mask, n);
         const double step = static_cast<double>(kWindow);
         return Numbers{{by_position(n, [&](double i) { return -3 - std::floor((rank(i) - 1) / step); })},
                        {by_position(n, [&](double j) { return (random.chance(0.3) ? -1 : 0) + 1 / rank(j); })},
                        by_position(n, some(random)),
                        by_position(n, [&](double i) { return rank(i) * rank(i); })};
       }},
      {"sharpness that begins with nothing, few keys chosen",
       run::Method::candidates,
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const auto rank = rank_by(mask, n);
         return Numbers{
             {std::vector<double>(n, 3)},
             {by_position(
                 n, [&](double j) { return (random.chance(0.03) ? 1 : 0) - 1 / (rank(j) + 0.01 * random.unit()); })},
             by_position(n, [&](double) { return random.unit() - 0.5; }),
             by_position(n, [&](double i) {
               return std::pow(std::max(0.0, rank(i) - std::min(20.0, std::floor(static_cast<double>(n) / 4))), 2) * 4;
             })};
       }},
      // Keys rise by nothing, a little and so much that all before them are left behind, values are counted together.
      {"sharpness from the query, keys in steps",
       run::Method::candidates,
       {Mask::future, Mask::past, Mask::strict_future, Mask::strict_past},
       [=](Random& random, std::size_t n, Mask mask) {
         const bool backwards = run::ScanOrder(mask).backwards;
         std::vector<double> keys;
         double level = 0;
         for (std::size_t j = 0; j < n; ++j) {
           const double draw = random.unit();
           level += draw < 0.05 ? 0.0078125 : draw < 0.3 ? 2 : 0;
           keys.push_back(level - (random.chance(0.3) ? 1.5 : 0));
         }
         if (backwards) std::reverse(keys.begin(), keys.end());
         return Numbers{{by_position(n, [=](double i) { return 40 + (backwards ? static_cast<double>(n) - i : i); })},
                        {keys},
                        by_position(n, [&](double) { return random.unit(); }),
                        ones(n)};
       },
       100},
      // Most queries look far from their own position, many of them at where windows meet.
      {"lookup of one shape",
       run::Method::lookup,
       {Mask::future, Mask::past, Mask::none},
       [=](Random& random, std::size_t n, Mask mask) {
         const double length = static_cast<double>(n), window = static_cast<double>(kWindow);
         const auto place = [&](double i) {
           if (random.chance(0.01)) return i;
           const double first = mask == Mask::past ? i + 8 : 0, last = mask == Mask::future ? i - 8 : length + 1;
           const double edge = window * std::ceil(2 * random.unit()) + std::round(10 * random.unit()) - 5;
           if (random.chance(0.7) && edge >= first && edge <= last) return edge;
           return first + std::round(random.unit() * (last - first));
         };
         return Numbers{{by_position(n, [&](double i) { return 2 * place(i); }), std::vector<double>(n, 1)},
                        {by_position(n, [](double j) { return j; }), by_position(n, [](double j) { return -j * j; })},
                        by_position(n, [&](double) { return random.unit() - 0.5; }),
                        std::vector<double>(n, 3)};
       }},
      // c a quarter beside an integer; at the ends, at the own position and between; sharpness that changes.
      {"lookup at the ends",
       run::Method::lookup,
       {Mask::future, Mask::past, Mask::none},
       [=](Random& random, std::size_t n, Mask) {
         const double length = static_cast<double>(n);
         const auto place = [&, length](double i) {
           const double draw = random.unit();
           const double c = draw < 0.2   ? std::round(4 * random.unit())
                            : draw < 0.4 ? length - std::round(4 * random.unit())
                            : draw < 0.6 ? i + std::round(6 * random.unit()) - 3
                                         : std::floor(i / 3);
           return c + 0.25;
         };
         return Numbers{{by_position(n, [&](double i) { return 2 * place(i); }), std::vector<double>(n, 1)},
                        {by_position(n, [](double j) { return j; }), by_position(n, [](double j) { return -j * j; })},
                        by_position(n, [&](double) { return random.unit() - 0.5; }),
                        by_position(n, [&, length](double i) { return i > 0.7 * length ? 1.75 : 2.5; })};
       }},
      {"series of all sizes",
       run::Method::series,
       {Mask::future, Mask::none},
       [=](Random& random, std::size_t n, Mask) {
         return Numbers{
             {by_position(
                 n, [&](double) { return (random.chance(0.5) ? -1 : 1) * std::pow(10.0, 20 * random.unit() - 18); })},
             {by_position(n, [](double j) { return j * sign(j); })},
             by_position(n, [](double j) { return sign(j) > 0 ? 0.75 : -0.25; }),
             ones(n)};
       }},
  };
}

}  // namespace quench::test
