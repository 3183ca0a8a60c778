// A progress bar on standard error, if that is a terminal; nothing at all otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace quench::cli {

class Progress {
 public:
  explicit Progress(std::string title);
  ~Progress();  ///< clears the line
  /// May be called from any thread, as often as one likes.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  std::string title_;
  bool terminal_;
  bool drawn_ = false;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_{}, start_;
};

}  // namespace quench::cli
