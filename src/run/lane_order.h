// In which order the positions of a batch lie in the planes of a pass (run/lane_scan.h: rows of kLanes positions).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "run/lane_scan.h"
#include "run/plane_executor.h"

namespace quench::run {

struct LaneOrder {
  LaneWindow window;
  std::vector<std::uint32_t> place;  ///< by index: where in the batch

  std::size_t size() const { return place.size(); }
  /// By index: which position of its word, from 0.
  const std::uint32_t* position() const { return window.segments ? place.data() : position_.data(); }

  /// Positions [first, first + live) of one word, counted from its end if backwards.
  void take_segments(std::size_t n, std::size_t first, std::size_t live, bool backwards) {
    window = {true, 1, (live + kLanes - 1) / kLanes, live};
    backwards_ = backwards;
    place.resize(window.size());
    for (std::size_t s = 0; s < kLanes; ++s)
      for (std::size_t t = 0; t < window.steps; ++t) {
        const std::size_t p = first + std::min(s * window.steps + t, live - 1);
        place[t * kLanes + s] = static_cast<std::uint32_t>(backwards ? n - 1 - p : p);
      }
  }

  /// Words [first, first + count) of a batch; lanes beyond repeat the last.
  void take_words(const Batch& batch, std::size_t first, std::size_t count) {
    window = {false, (count + kLanes - 1) / kLanes, batch.n, 0};
    window.live = window.size();
    place.resize(window.size());
    position_.resize(window.size());
    for (std::size_t g = 0, index = 0; g < window.groups; ++g)
      for (std::size_t i = 0; i < batch.n; ++i)
        for (std::size_t s = 0; s < kLanes; ++s, ++index) {
          const std::size_t word = first + std::min(g * kLanes + s, count - 1);
          place[index] = static_cast<std::uint32_t>(i * batch.lanes + word);
          position_[index] = static_cast<std::uint32_t>(i);
        }
  }

  /// Calls work(index, plain) for every index that stands for itself; plain = position · words + word.
  template <class Work>
  void for_live(const Work& work) const {
    if (!window.segments) {
      for (std::size_t g = 0, index = 0; g < window.groups; ++g)
        for (std::size_t i = 0; i < window.steps; ++i)
          for (std::size_t s = 0; s < kLanes; ++s, ++index) work(index, (i * window.groups + g) * kLanes + s);
      return;
    }
    for (std::size_t s = 0; s < kLanes; ++s)
      for (std::size_t t = 0; t < window.steps && s * window.steps + t < window.live; ++t)
        work(t * kLanes + s, std::size_t{place[t * kLanes + s]});
  }

  /// to[place of p] = plane[p]
  template <class T, class To>
  void put_back(const T* plane, To* to) const {
    if (!window.segments || window.live < size()) {
      for (std::size_t p = 0; p < size(); ++p) to[place[p]] = static_cast<To>(plane[p]);
      return;
    }
    const std::ptrdiff_t step = backwards_ ? -1 : 1;
    for (std::size_t s = 0; s < kLanes; ++s) {
      To* at = to + place[s];
      for (std::size_t t = 0; t < window.steps; ++t, at += step) *at = static_cast<To>(plane[t * kLanes + s]);
    }
  }

  /// Segments: copies the last position to where it stands in for what is not there, so that these stay its copies.
  template <class T>
  void fill_up(T* plane) const {
    if (!window.segments || window.live == size()) return;
    const std::size_t last = window.live - 1;
    const T value = plane[last % window.steps * kLanes + last / window.steps];
    for (std::size_t p = window.live; p < size(); ++p) plane[p % window.steps * kLanes + p / window.steps] = value;
  }

 private:
  bool backwards_ = false;
  std::vector<std::uint32_t> position_;  // of batches
};

}  // namespace quench::run
