#include "cli/shared/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/shared/output.h"

namespace quench::cli {

Progress::Progress(std::string title)
    : title_(std::move(title)), terminal_(isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (drawn_) say("\r\033[K");
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!terminal_ || total == 0) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  const auto now = std::chrono::steady_clock::now();
  if (!lock || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr int kCells = 30;
  const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string bar;
  for (int cell = 0; cell < kCells; ++cell) bar += cell < fraction * kCells ? "█" : "░";
  say(fmt::format("\r\033[K{} {} {:3.0f} %  {} of {}  {:.0f} s left", title_, bar, 100 * fraction, done, total,
                  fraction > 0 ? seconds / fraction - seconds : 0));
  drawn_ = true;
}

}  // namespace quench::cli
