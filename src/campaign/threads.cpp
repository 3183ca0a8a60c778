#include <tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "campaign/work.h"

namespace quench::campaign {
namespace {

class ThreadCrew : public Crew {
 public:
  explicit ThreadCrew(int threads)
      : threads_(threads > 0 ? static_cast<unsigned>(threads) : std::max(1U, std::thread::hardware_concurrency())) {}

  void work(const Work& work, const std::vector<std::uint64_t>& pieces, const Take& take,
            const std::function<bool()>& stopped) override {
    // Pieces are many and each is done by one thread: nothing is left for threads within them.
    const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto worker = [&] {
      try {
        for (std::size_t k; !stopped() && (k = next++) < pieces.size();) {
          const auto start = std::chrono::steady_clock::now();
          const nlohmann::json result = work.run(pieces[k]);
          const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
          const std::lock_guard lock(mutex);
          take(pieces[k], result, seconds.count());
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = pieces.size();
      }
    };
    {
      std::vector<std::jthread> others;
      for (unsigned t = 1; t < threads_; ++t) others.emplace_back(worker);
      worker();
    }
    if (failure) std::rethrow_exception(failure);
  }

 private:
  unsigned threads_;
};

}  // namespace

std::unique_ptr<Crew> crew_of_threads(int threads) { return std::make_unique<ThreadCrew>(threads); }

}  // namespace quench::campaign
