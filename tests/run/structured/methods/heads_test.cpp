// Every linear method of a head, alone, against the definition: all masks it is for, lengths around rows and windows,
// one word and several.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "run/structured/methods/head_definition.h"
#include "run/structured/methods/head_patterns.h"

namespace quench {
namespace {

using namespace test;

template <class T>
void expect_defined(const Pattern& pattern, Mask mask, const run::LaneOrder& order, const std::vector<Numbers>& words,
                    std::size_t n) {
  run::HeadPlan plan;
  plan.mask = mask;
  plan.components = words[0].q.size();
  plan.d_v = 1;
  run::LaneHead<T> head(plan, mask, run::negligible(sizeof(T) == 4 ? 24 : 53, n), n);
  const auto in_lanes = [&](const std::function<double(const Numbers&, std::size_t i)>& read) {
    std::vector<T> plane(order.size());
    order.for_places([&](std::size_t index, std::size_t place) {
      plane[index] = static_cast<T>(read(words[place % words.size()], place / words.size()));
    });
    return plane;
  };
  std::vector<std::vector<T>> q, k;
  for (std::size_t l = 0; l < plan.components; ++l) {
    q.push_back(in_lanes([&](const Numbers& x, std::size_t i) { return x.q[l][i]; }));
    k.push_back(in_lanes([&](const Numbers& x, std::size_t i) { return x.k[l][i]; }));
  }
  const std::vector<T> v = in_lanes([](const Numbers& x, std::size_t i) { return x.v[i]; });
  std::vector<T> out(order.size());
  const auto feed = [&](run::LanePhase phase) {
    bool fed = true;
    for (std::size_t step = 0; step < order.windows.size(); ++step) {
      const run::LaneWindow& window = order.windows[run::ScanOrder(mask).at(step, order.windows.size())];
      run::HeadSpace<T> space;
      for (std::size_t l = 0; l < plan.components; ++l) {
        space.q_view.push_back(q[l].data() + window.begin);
        space.k_view.push_back(k[l].data() + window.begin);
      }
      space.v_view.push_back(v.data() + window.begin);
      const std::uint32_t* position = order.position() + window.begin;
      if (words[0].scale.front() != words[0].scale.back())
        head.set_scale(window, position, words[0].scale, 1.0, space.scale);
      fed = fed && head.feed(window, position, space, words[0].scale[0], {out.data() + window.begin}, phase);
    }
    return fed;
  };
  const auto feed_all = [&] {
    if (mask == Mask::none && order.segments()) return feed(run::LanePhase::keys) && feed(run::LanePhase::queries);
    return feed(run::LanePhase::both);
  };
  std::vector<const T*> first;
  for (const std::vector<T>& plane : k) first.push_back(plane.data());
  head.introduce(first);
  while (!feed_all()) ASSERT_TRUE(head.restart());
  if (n > pattern.few) {  // few keys are few classes
    EXPECT_EQ(head.method(), pattern.method);
  }
  std::vector<double> back(n * words.size());
  order.fill_up(out.data());
  order.put_back(out.data(), back.data());
  const double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::size_t i = 0; i < n; ++i) {
      const Row row = by_definition(words[w], mask, i, n);
      ASSERT_NEAR(back[i * words.size() + w], row.mean, allowed(row, n, u)) << "position " << i + 1 << ", word " << w;
    }
}

template <class T>
void expect_defined_in_segments(const Pattern& pattern, Mask mask, std::size_t n) {
  SCOPED_TRACE(pattern.name + std::string(", mask ") + std::to_string(static_cast<int>(mask)) +
               ", n = " + std::to_string(n) + ", " + std::to_string(sizeof(T)) + " bytes");
  Random random(n);
  run::LaneOrder order;
  order.take_segments(n, 0, n, kWindow, /*backwards=*/false);
  expect_defined<T>(pattern, mask, order, {in_format<T>(pattern.make(random, n, mask))}, n);
}

template <class T>
void expect_defined(const Pattern& pattern, Mask mask, std::size_t n) {
  SCOPED_TRACE(pattern.name + std::string(", mask ") + std::to_string(static_cast<int>(mask)) +
               ", n = " + std::to_string(n) + ", " + std::to_string(sizeof(T)) + " bytes");
  Random random(n);
  run::LaneOrder order;
  order.take_segments(n, 0, n, kWindow, /*backwards=*/false);
  expect_defined<T>(pattern, mask, order, {in_format<T>(pattern.make(random, n, mask))}, n);
  if (n > 100) return;
  SCOPED_TRACE("words");
  std::vector<Numbers> words;
  for (std::size_t w = 0; w < kLanes + 3; ++w) words.push_back(in_format<T>(pattern.make(random, n, mask)));
  order.take_words(run::Batch{n, words.size(), {}}, 0, words.size());
  expect_defined<T>(pattern, mask, order, words, n);
}

TEST(LaneHeads, AreTheDefinition) {
  for (const Pattern& pattern : patterns())
    for (const Mask mask : pattern.masks)
      for (const std::size_t n : {5, 15, 16, 17, 40, 127, 128, 129, 300}) {
        expect_defined<float>(pattern, mask, n);
        expect_defined<double>(pattern, mask, n);
        if (::testing::Test::HasFailure()) return;
      }
}

TEST(LaneHeads, AreTheDefinitionInShortWords) {
  for (const Pattern& pattern : patterns())
    for (const Mask mask : pattern.masks)
      for (std::size_t n = 1; n <= 40; n += n < 20 ? 1 : 3) {
        expect_defined_in_segments<float>(pattern, mask, n);
        expect_defined_in_segments<double>(pattern, mask, n);
        if (::testing::Test::HasFailure()) return;
      }
}

/// Words longer than the runs they are cut into (run/structured/kernels/candidate_kernel.h), side by side.
TEST(LaneHeads, AreTheDefinitionInLongWordsSideBySide) {
  constexpr std::size_t kLength = run::kCandidateStretch + 21;
  for (const Pattern& pattern : patterns()) {
    if (pattern.method != run::Method::candidates) continue;
    for (const Mask mask : {Mask::future, Mask::strict_past}) {
      SCOPED_TRACE(pattern.name + std::string(", mask ") + std::to_string(static_cast<int>(mask)));
      Random random(kLength);
      std::vector<Numbers> words;
      for (std::size_t w = 0; w < 2; ++w) words.push_back(in_format<float>(pattern.make(random, kLength, mask)));
      run::LaneOrder order;
      order.take_words(run::Batch{kLength, words.size(), {}}, 0, words.size());
      expect_defined<float>(pattern, mask, order, words, kLength);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace quench
