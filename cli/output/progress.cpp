#include "cli/output/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/output.h"
#include "cli/output/terminal.h"

namespace quench::cli {

Progress::Progress(std::string title)
    : title_(std::move(title)), terminal_(stderr_redraws()), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (drawn_) say("\r\033[K");
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!terminal_ || total == 0) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  const auto now = std::chrono::steady_clock::now();
  if (!lock || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr std::size_t kOthers = 45;  // columns of what stands around the bar
  const std::size_t room = columns_of_output(80);
  const int cells = room > title_.size() + kOthers ? static_cast<int>(std::min<std::size_t>(room - title_.size() - kOthers, 30)) : 0;
  const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string bar;
  for (int cell = 0; cell < cells; ++cell) bar += cell < fraction * cells ? "█" : "░";
  say(fmt::format("\r\033[K{} {} {:3.0f} %  {} of {}  {:.0f} s left", title_, bar, 100 * fraction, done, total,
                  fraction > 0 ? seconds / fraction - seconds : 0));
  drawn_ = true;
}

}  // namespace quench::cli
