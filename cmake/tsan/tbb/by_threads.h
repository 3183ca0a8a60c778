// What Quench uses of TBB, by std::thread: for ThreadSanitizer, which does not see how the packaged TBB, compiled without
// it, makes its threads wait for each other, and so takes all that tasks do for races. Simple, and slow; the functions
// that it calls, and what they share, are the same.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tbb {
namespace by_threads {

constexpr int kThreads = 4;  // more than a small machine has cores: more ways to meet
inline thread_local int available = kThreads;

/// Runs work(k) for k < count on so many threads, this one among them, and hands the first exception on.
template <class Work>
void run(std::size_t count, const Work& work) {
  const std::size_t threads = std::min<std::size_t>(count, static_cast<std::size_t>(available));
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto worker = [&] {
    available = 1;  // tasks within tasks wait for nobody
    try {
      for (std::size_t k = next++; k < count; k = next++) work(k);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const int before = available;
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back(worker);
  worker();
  for (std::thread& other : others) other.join();
  available = before;
  if (failure) std::rethrow_exception(failure);
}

/// Sets how many threads there are, for as long as it lives.
class Limit {
 public:
  explicit Limit(int threads) : before_(std::exchange(available, std::max(1, std::min(threads, kThreads)))) {}
  ~Limit() { available = before_; }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  int before_;
};

}  // namespace by_threads

template <class Value>
class blocked_range {
 public:
  blocked_range(Value begin, Value end, std::size_t grain = 1) : begin_(begin), end_(end), grain_(grain) {}
  Value begin() const { return begin_; }
  Value end() const { return end_; }
  std::size_t pieces() const {
    const auto size = static_cast<std::size_t>(end_ - begin_);
    return std::min<std::size_t>((size + grain_ - 1) / grain_, 4 * by_threads::kThreads);
  }
  blocked_range piece(std::size_t k) const {
    const auto size = static_cast<std::size_t>(end_ - begin_), all = pieces();
    return {begin_ + static_cast<Value>(size * k / all), begin_ + static_cast<Value>(size * (k + 1) / all)};
  }

 private:
  Value begin_, end_;
  std::size_t grain_;
};

struct simple_partitioner {};

template <class Value, class Body>
void parallel_for(const blocked_range<Value>& range, const Body& body) {
  by_threads::run(range.pieces(), [&](std::size_t k) { body(range.piece(k)); });
}
template <class Index, class Body, class... Partitioner>
void parallel_for(Index first, Index last, const Body& body, const Partitioner&...) {
  by_threads::run(last > first ? static_cast<std::size_t>(last - first) : 0,
                  [&](std::size_t k) { body(first + static_cast<Index>(k)); });
}

template <class Range, class Result, class Some, class Join>
Result parallel_reduce(const Range& range, const Result& identity, const Some& some, const Join& join) {
  std::vector<Result> parts(range.pieces(), identity);
  by_threads::run(parts.size(), [&](std::size_t k) { parts[k] = some(range.piece(k), identity); });
  Result result = identity;
  for (const Result& part : parts) result = join(std::move(result), part);
  return result;
}

template <class Value>
class enumerable_thread_specific {
 public:
  enumerable_thread_specific() : make_([] { return Value(); }) {}
  template <class Make>
  explicit enumerable_thread_specific(Make make) : make_(std::move(make)) {}

  Value& local() {
    const std::scoped_lock lock(mutex_);
    for (std::size_t k = 0; k < owners_.size(); ++k)
      if (owners_[k] == std::this_thread::get_id()) return values_[k];
    owners_.push_back(std::this_thread::get_id());
    return values_.emplace_back(make_());
  }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::function<Value()> make_;
  std::mutex mutex_;
  std::vector<std::thread::id> owners_;
  std::deque<Value> values_;
};

class task_arena {
 public:
  static constexpr int automatic = -1;
  explicit task_arena(int threads = automatic) : threads_(threads < 1 ? by_threads::kThreads : threads) {}
  template <class Work>
  void execute(const Work& work) {
    const by_threads::Limit limit(threads_);
    work();
  }

 private:
  int threads_;
};

namespace this_task_arena {
inline int max_concurrency() { return by_threads::available; }
}  // namespace this_task_arena

/// Of the thread that makes it.
class global_control {
 public:
  enum Parameter { max_allowed_parallelism };
  global_control(Parameter, std::size_t threads) : limit_(static_cast<int>(threads)) {}

 private:
  by_threads::Limit limit_;
};

class flow_control {
 public:
  void stop() { stopped = true; }
  std::atomic<bool> stopped = false;
};

enum class filter_mode { serial_in_order };

/// Stages from In to Out, one after the other; what goes from one to the next is a pointer.
template <class In, class Out>
struct filter {
  std::vector<std::function<void*(void*, flow_control&)>> stages;

  template <class Next>
  filter<In, Next> operator&(const filter<Out, Next>& next) const {
    filter<In, Next> all{stages};
    all.stages.insert(all.stages.end(), next.stages.begin(), next.stages.end());
    return all;
  }
  filter& operator&=(const filter<Out, Out>& next) {
    stages.insert(stages.end(), next.stages.begin(), next.stages.end());
    return *this;
  }
};

template <class In, class Out, class Work>
filter<In, Out> make_filter(filter_mode, Work work) {
  return {{[work](void* in, flow_control& control) -> void* {
    if constexpr (std::is_void_v<In>)
      return work(control);
    else if constexpr (std::is_void_v<Out>)
      return work(static_cast<In>(in)), nullptr;
    else
      return work(static_cast<In>(in));
  }}};
}

/// So many tokens at once, each stage in the order of the first.
inline void parallel_pipeline(std::size_t tokens, const filter<void, void>& all) {
  std::mutex mutex;
  std::condition_variable moved;
  std::vector<std::size_t> turn(all.stages.size(), 0);  // by stage: the token that may enter
  flow_control control;
  bool failed = false;
  std::size_t entered = 0;
  /// False: there are no more tokens.
  const auto carry_one = [&] {
    std::unique_lock lock(mutex);
    const std::size_t token = entered++;
    void* content = nullptr;
    for (std::size_t stage = 0; stage < all.stages.size(); ++stage) {
      moved.wait(lock, [&] { return turn[stage] == token || failed || (stage == 0 && control.stopped); });
      if (failed || (stage == 0 && control.stopped)) return false;
      lock.unlock();
      try {
        content = all.stages[stage](content, control);
      } catch (...) {
        lock.lock();
        failed = true;
        moved.notify_all();
        throw;
      }
      lock.lock();
      ++turn[stage];
      moved.notify_all();
      if (stage == 0 && control.stopped) return false;
    }
    return true;
  };
  const auto carry = [&](std::size_t) {
    while (carry_one()) continue;
  };
  by_threads::run(tokens, carry);
}

}  // namespace tbb
