// Long calls that Ctrl-C ends: the work is done by a thread of its own, while the calling one waits with the
// interpreter, looks for signals and tells Python how far it is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <optional>

#include "bindings.h"

namespace quench::python {

/// What the work tells, now and then, from any thread.
class Watch {
 public:
  struct Stopped {};

  /// Throws Stopped if the work is not wanted any more.
  void report(std::uint64_t done, std::uint64_t total) {
    done_ = done;
    total_ = total;
    if (stopped_) throw Stopped{};
  }
  void stop() { stopped_ = true; }
  std::uint64_t done() const { return done_; }
  std::uint64_t total() const { return total_; }

 private:
  std::atomic<std::uint64_t> done_ = 0, total_ = 0;
  std::atomic<bool> stopped_ = false;
};

/// Signals, and `progress(done, total)` unless it is None. Throws what either raises.
inline void tell(const Watch& watch, const nb::object& progress) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!progress.is_none()) progress(watch.done(), watch.total());
}

/// work(watch), to be called with the interpreter's lock held.
template <class Work>
auto watched(const nb::object& progress, Work work) {
  constexpr std::chrono::milliseconds kPause{50};
  Watch watch;
  auto result = std::async(std::launch::async, [&] { return work(watch); });
  const auto ready_within = [&](std::chrono::milliseconds pause) {
    nb::gil_scoped_release release;
    return result.wait_for(pause) == std::future_status::ready;
  };
  try {
    while (!ready_within(kPause)) tell(watch, progress);
  } catch (...) {
    watch.stop();
    {
      nb::gil_scoped_release release;
      result.wait();
    }
    throw;
  }
  return result.get();
}

}  // namespace quench::python
