// Long work that is told line by line, and ends early when somebody says so, nobody listens, or its time is over.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "studio/exchange.h"
#include "studio/limits.h"

namespace quench::studio {

using Clock = std::chrono::steady_clock;

inline double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Ends the work of a job, wherever it is thrown.
struct Cancelled {};

/// One piece of work and who listens to it.
class Job {
 public:
  Job(std::string name, double seconds) : id(std::move(name)), seconds_(seconds) {}

  const std::string id;

  /// Throws Cancelled if it should end.
  void look_up() const;
  /// A line, and look_up(). Any thread may say something.
  void say(const Json& line);
  /// A line about progress, now and then; and look_up().
  void progress(std::uint64_t done, std::uint64_t total);
  double seconds_left() const { return seconds_ - milliseconds_since(begin_) / 1000; }

  void cancel() { cancelled_ = true; }
  /// Says the first line, does the work, and says the last one.
  void run(const WriteLine& write, const Json& start, const std::function<Json(Job&)>& work);

 private:
  Json last_line(const std::function<Json(Job&)>& work);

  const double seconds_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point told_ = begin_;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  const WriteLine* write_ = nullptr;
};

class Jobs {
 public:
  explicit Jobs(const Limits& limits) : limits_(limits) {}

  /// A reply that streams `start`, what `work` says, and a line `done` with the fields that it returns. Throws Refusal
  /// if too many jobs are under way.
  Reply stream(Json start, std::function<Json(Job&)> work);
  bool cancel(const std::string& id);
  void cancel_all();

 private:
  const Limits limits_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Job>> jobs_;
  std::uint64_t made_ = 0;
};

/// What a failure of the library is to a client.
Refusal refusal_of(const std::exception_ptr& failure);

}  // namespace quench::studio
