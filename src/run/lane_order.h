// In which order the positions of a batch lie in the planes of a pass (run/lane_scan.h: rows of kLanes positions).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "run/lane_scan.h"
#include "run/plane_executor.h"

namespace quench::run {

/// Windows one after the other; all of one word, or a single one of several words.
class LaneOrder {
 public:
  std::vector<LaneWindow> windows;
  std::vector<std::uint32_t> place;  ///< by index: where in the batch

  std::size_t size() const { return place.size(); }
  bool segments() const { return windows[0].segments; }
  /// By index: which position of its word, from 0.
  const std::uint32_t* position() const { return segments() ? place.data() : position_.data(); }

  /// Positions [first, last) of one word, counted from its end if backwards, `most` to a window.
  void take_segments(std::size_t n, std::size_t first, std::size_t last, std::size_t most, bool backwards) {
    windows.clear();
    backwards_ = backwards;
    std::size_t size = 0;
    for (std::size_t begin = first; begin < last; begin += most) {
      const std::size_t live = std::min(most, last - begin), steps = (live + kLanes - 1) / kLanes;
      windows.push_back({true, 1, steps, live, size});
      size += steps * kLanes;
    }
    place.resize(size);
    for (const LaneWindow& window : windows) {
      std::uint32_t* to = place.data() + window.begin;
      for (std::size_t s = 0; s < kLanes; ++s)
        for (std::size_t t = 0; t < window.steps; ++t) {
          const std::size_t p = first + window.begin + std::min(s * window.steps + t, window.live - 1);
          to[t * kLanes + s] = static_cast<std::uint32_t>(backwards ? n - 1 - p : p);
        }
    }
  }

  /// Words [first, first + count) of a batch; lanes beyond repeat the last.
  void take_words(const Batch& batch, std::size_t first, std::size_t count) {
    LaneWindow window{false, (count + kLanes - 1) / kLanes, batch.n, 0, 0};
    window.live = window.size();
    windows.assign(1, window);
    place.resize(window.size());
    position_.resize(window.size());
    for (std::size_t g = 0, row = 0; g < window.groups; ++g) {
      std::uint32_t word[kLanes];
      for (std::size_t s = 0; s < kLanes; ++s)
        word[s] = static_cast<std::uint32_t>(first + std::min(g * kLanes + s, count - 1));
      for (std::size_t i = 0; i < batch.n; ++i, ++row)
        for (std::size_t s = 0; s < kLanes; ++s) {
          place[row * kLanes + s] = static_cast<std::uint32_t>(i * batch.lanes) + word[s];
          position_[row * kLanes + s] = static_cast<std::uint32_t>(i);
        }
    }
  }

  /// Calls work(index in the window, plain) for every index of the window; plain = position · words + word.
  template <class Work>
  void for_plain(const LaneWindow& window, const Work& work) const {
    if (window.segments) {
      for (std::size_t p = 0; p < window.size(); ++p) work(p, std::size_t{place[window.begin + p]});
      return;
    }
    for (std::size_t g = 0, index = 0; g < window.groups; ++g)
      for (std::size_t i = 0; i < window.steps; ++i)
        for (std::size_t s = 0; s < kLanes; ++s, ++index) work(index, (i * window.groups + g) * kLanes + s);
  }

  /// to[place of p] = plane[p]
  template <class T, class To>
  void put_back(const T* plane, To* to) const {
    const std::ptrdiff_t step = backwards_ ? -1 : 1;
    for (const LaneWindow& window : windows) {
      const std::uint32_t* where = place.data() + window.begin;
      const T* from = plane + window.begin;
      if (window.segments && window.live == window.size()) {
        for (std::size_t s = 0; s < kLanes; ++s) {
          To* at = to + where[s];
          for (std::size_t t = 0; t < window.steps; ++t, at += step) *at = static_cast<To>(from[t * kLanes + s]);
        }
        continue;
      }
      for (std::size_t p = 0; p < window.size(); ++p) to[where[p]] = static_cast<To>(from[p]);
    }
  }

  /// Segments: copies the last position to where it stands in for what is not there, so that these stay its copies.
  template <class T>
  void fill_up(T* plane) const {
    const LaneWindow& window = windows.back();
    if (!window.segments || window.live == window.size()) return;
    T* at = plane + window.begin;
    const auto index = [&](std::size_t p) { return p % window.steps * kLanes + p / window.steps; };
    for (std::size_t p = window.live; p < window.size(); ++p) at[index(p)] = at[index(window.live - 1)];
  }

 private:
  bool backwards_ = false;
  std::vector<std::uint32_t> position_;  // of several words
};

}  // namespace quench::run
