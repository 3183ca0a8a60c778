#include "attention/score/visibility.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace quench::attention {

namespace {

constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

KeyInterval everything(std::size_t) { return {0, kUnbounded}; }

std::size_t saturating_add(std::size_t a, std::size_t b) { return a > kUnbounded - b ? kUnbounded : a + b; }

std::function<KeyInterval(std::size_t)> mask_interval(Mask mask) {
  switch (mask) {
    case Mask::none:
      return everything;
    case Mask::future:
      return [](std::size_t i) { return KeyInterval{0, i + 1}; };
    case Mask::past:
      return [](std::size_t i) { return KeyInterval{i, kUnbounded}; };
    case Mask::strict_future:
      return [](std::size_t i) { return KeyInterval{0, i}; };
    case Mask::strict_past:
      return [](std::size_t i) { return KeyInterval{i + 1, kUnbounded}; };
  }
  throw InternalError("a mask without a meaning");
}

}  // namespace

Visibility Visibility::interval(std::function<KeyInterval(std::size_t)> hull) {
  auto allows = [hull](std::size_t i, std::size_t j) {
    const KeyInterval keys = hull(i);
    return keys.first <= j && j < keys.last;
  };
  return Visibility(Node{std::move(allows), std::move(hull), true});
}

Visibility::Visibility() : Visibility(Mask::none) {}
Visibility::Visibility(Mask mask) : Visibility(interval(mask_interval(mask))) {}

Visibility Visibility::padding(std::size_t length) {
  return interval([length](std::size_t) { return KeyInterval{0, length}; });
}

Visibility Visibility::window(std::size_t left, std::size_t right) {
  return interval([left, right](std::size_t i) {
    return KeyInterval{i > left ? i - left : 0, saturating_add(i + 1, right)};
  });
}

Visibility Visibility::blocks(std::size_t block_size, BooleanTable blocks) {
  if (block_size == 0) throw UserError("a block-sparse mask needs blocks of at least one position");
  return where([block_size, blocks = std::move(blocks)](std::size_t i, std::size_t j) {
    return blocks(i / block_size, j / block_size);
  });
}

Visibility Visibility::table(BooleanTable table) {
  return where([table = std::move(table)](std::size_t i, std::size_t j) { return table(i, j); });
}

Visibility Visibility::where(std::function<bool(std::size_t, std::size_t)> allowed) {
  return Visibility(Node{std::move(allowed), everything, false});
}

Visibility operator&(const Visibility& a, const Visibility& b) {
  return Visibility(Visibility::Node{[a, b](std::size_t i, std::size_t j) { return a.allows(i, j) && b.allows(i, j); },
                                     [a, b](std::size_t i) {
                                       const KeyInterval x = a.node_->hull(i), y = b.node_->hull(i);
                                       return KeyInterval{std::max(x.first, y.first), std::min(x.last, y.last)};
                                     },
                                     a.solid() && b.solid()});
}

Visibility operator|(const Visibility& a, const Visibility& b) {
  return Visibility(Visibility::Node{[a, b](std::size_t i, std::size_t j) { return a.allows(i, j) || b.allows(i, j); },
                                     [a, b](std::size_t i) {
                                       const KeyInterval x = a.node_->hull(i), y = b.node_->hull(i);
                                       if (x.empty()) return y;
                                       if (y.empty()) return x;
                                       return KeyInterval{std::min(x.first, y.first), std::max(x.last, y.last)};
                                     },
                                     false});
}

Visibility operator!(const Visibility& a) {
  return Visibility::where([a](std::size_t i, std::size_t j) { return !a.allows(i, j); });
}

KeyInterval Visibility::hull(std::size_t i, std::size_t keys) const {
  KeyInterval interval = node_->hull(i);
  interval.last = std::min(interval.last, keys);
  return interval.empty() ? KeyInterval{} : interval;
}

void Visibility::list(std::size_t i, std::size_t keys, std::vector<std::size_t>& visible) const {
  visible.clear();
  const KeyInterval interval = hull(i, keys);
  for (std::size_t j = interval.first; j < interval.last; ++j)
    if (solid() || allows(i, j)) visible.push_back(j);
}

}  // namespace quench::attention
