// Work that may take too long: it is done on threads of its own, and whoever asked waits only so long. What takes
// longer goes on to its end unobserved, so that its result can be kept for the next request.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "studio/exchange.h"

namespace quench::studio {

class Patience {
 public:
  explicit Patience(std::size_t threads, std::size_t most_waiting = 64);
  /// Waits for the work that is under way; what waits is dropped.
  ~Patience();

  /// Throws Refusal: `busy` if too much waits already, `seconds` if there is no answer in time.
  Reply within(double seconds, std::function<Reply()> work);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<Reply()>> waiting_;
  const std::size_t most_waiting_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quench::studio
