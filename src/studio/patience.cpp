#include "studio/patience.h"

#include <chrono>

namespace quench::studio {

Patience::Patience(std::size_t threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (std::size_t k = 0; k < threads; ++k) threads_.emplace_back([this] { serve(); });
}

Patience::~Patience() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Reply Patience::within(double seconds, std::function<Reply()> work) {
  std::packaged_task<Reply()> task(std::move(work));
  std::future<Reply> answer = task.get_future();
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= most_waiting_) throw Refusal{503, "busy", "too many requests are under way; ask again"};
    waiting_.push_back(std::move(task));
  }
  changed_.notify_one();
  if (answer.wait_for(std::chrono::duration<double>(seconds)) != std::future_status::ready)
    throw Refusal{503, "seconds", "this takes too long; what is being compiled is kept once it is done, so ask again",
                  Json{{"limit", "seconds"}, {"allowed", seconds}}};
  try {
    return answer.get();
  } catch (const std::future_error&) {
    throw Refusal{503, "busy", "the server is ending"};
  }
}

void Patience::serve() {
  while (true) {
    std::packaged_task<Reply()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      if (ends_) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

}  // namespace quench::studio
