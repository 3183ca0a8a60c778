// In which order the positions of a batch stand in the planes of a pass (src/run/README.md has the picture).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "run/batch.h"
#include "run/structured/window.h"

namespace quench::run {

/// Scatters `steps` rows to `to`: the first `lanes` positions of each row go side by side, the next row `apart` further
/// on. Prefetches what the next call will write, `ahead` elements further on.
void put_rows(const float* rows, std::size_t steps, std::size_t lanes, std::size_t apart, std::size_t ahead, float* to);
void put_rows(const float* rows, std::size_t steps, std::size_t lanes, std::size_t apart, std::size_t ahead,
              double* to);
void put_rows(const double* rows, std::size_t steps, std::size_t lanes, std::size_t apart, std::size_t ahead,
              double* to);

/// Windows one after the other; all of one word, or a single one of several words.
class LaneOrder {
 public:
  std::vector<LaneWindow> windows;

  std::size_t size() const { return windows.back().begin + windows.back().size(); }
  bool segments() const { return windows[0].segments; }
  bool backwards() const { return backwards_; }
  /// Whether words of length n are here with all of their positions.
  bool is_whole(std::size_t n) const { return !segments() || windows.back().begin + windows.back().live == n; }
  /// By index: which position of its word, from 0.
  const std::uint32_t* position() const { return position_.data(); }

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
    position_.resize(size);
    for (const LaneWindow& window : windows) {
      std::uint32_t* to = position_.data() + window.begin;
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
    const bool as_before = !windows.empty() && !segments() && windows[0].steps == batch.n && size() == window.size();
    windows.assign(1, window);
    first_ = first;
    count_ = count;
    apart_ = batch.words;
    if (as_before) return;
    position_.resize(window.size());
    for (std::size_t index = 0; index < window.size(); ++index)
      position_[index] = static_cast<std::uint32_t>(index / kLanes % batch.n);
  }

  /// Words: calls work(index, place in the batch, lanes) for the first position of each group's words; the next one of
  /// a word is kLanes on in the planes, and `apart` in the batch.
  template <class Work>
  void for_groups(const Work& work) const {
    for (std::size_t g = 0; g < windows[0].groups; ++g)
      work(g * windows[0].steps * kLanes, first_ + g * kLanes, std::min(kLanes, count_ - g * kLanes));
  }
  std::size_t apart() const { return apart_; }
  /// How far the next group's words are from this one's, 0 after the last. A row is a memory page or more from the
  /// next, too far for the processor to foresee, so it is prefetched a group ahead.
  std::size_t ahead(std::size_t place) const { return place + 2 * kLanes <= apart_ ? kLanes : 0; }

  /// Calls work(index, place in the batch) for every index; lanes beyond the last word repeat it.
  template <class Work>
  void for_places(const Work& work) const {
    if (segments()) {
      for (std::size_t index = 0; index < size(); ++index) work(index, std::size_t{position_[index]});
      return;
    }
    for_groups([&](std::size_t index, std::size_t place, std::size_t lanes) {
      for (std::size_t i = 0; i < windows[0].steps; ++i)
        for (std::size_t s = 0; s < kLanes; ++s)
          work(index + i * kLanes + s, place + i * apart_ + std::min(s, lanes - 1));
    });
  }

  /// One word that is here from its first position on: `from`, the numbers at its positions from `first` on, to where
  /// they stand.
  template <class From, class T>
  void put_in_lanes(const std::vector<From>& from, std::size_t first, T* plane) const {
    for (std::size_t done = 0; done < from.size();) {
      const LaneWindow& window = windows[(first + done) / windows[0].size()];
      const std::size_t p = first + done - window.begin, lane = p / window.steps, step = p % window.steps;
      const std::size_t count = std::min(window.steps - step, from.size() - done);
      T* to = plane + window.begin + step * kLanes + lane;
      for (std::size_t k = 0; k < count; ++k) to[k * kLanes] = static_cast<T>(from[done + k]);
      done += count;
    }
  }

  /// Calls work(index in the window, plain) for every index of the window; plain = position · words + word.
  template <class Work>
  void for_plain(const LaneWindow& window, const Work& work) const {
    if (window.segments) {
      for (std::size_t p = 0; p < window.size(); ++p) work(p, std::size_t{position_[window.begin + p]});
      return;
    }
    for (std::size_t g = 0, index = 0; g < window.groups; ++g)
      for (std::size_t i = 0; i < window.steps; ++i)
        for (std::size_t s = 0; s < kLanes; ++s, ++index) work(index, (i * window.groups + g) * kLanes + s);
  }

  /// To where each position is in the batch.
  template <class T, class To>
  void put_back(const T* plane, To* to) const {
    if (!segments())
      return for_groups([&](std::size_t index, std::size_t place, std::size_t lanes) {
        put_rows(plane + index, windows[0].steps, lanes, apart_, ahead(place), to + place);
      });
    const std::ptrdiff_t step = backwards_ ? -1 : 1;
    for (const LaneWindow& window : windows) {
      const std::uint32_t* where = position_.data() + window.begin;
      const T* from = plane + window.begin;
      if (window.live == window.size()) {
        for (std::size_t s = 0; s < kLanes; ++s) {
          To* at = to + where[s];
          for (std::size_t t = 0; t < window.steps; ++t, at += step) *at = static_cast<To>(from[t * kLanes + s]);
        }
        continue;
      }
      for (std::size_t p = 0; p < window.size(); ++p) to[where[p]] = static_cast<To>(from[p]);
    }
  }

  /// Segments: pads the last, partly filled window with copies of the word's last position.
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
  std::size_t first_ = 0, count_ = 0, apart_ = 0;  // of several words
  std::vector<std::uint32_t> position_;
};

}  // namespace quench::run
