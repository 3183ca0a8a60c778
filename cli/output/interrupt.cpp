#include "cli/output/interrupt.h"

#include <array>
#include <csignal>

namespace quench::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};
volatile std::sig_atomic_t noted = 0;
std::array<void (*)(int), kSignals.size()> before{};  ///< what the program does otherwise

void restore() {
  for (std::size_t k = 0; k < kSignals.size(); ++k) std::signal(kSignals[k], before[k]);
}

extern "C" void note_interrupt(int signal) {
  if (noted != 0) {
    restore();
    std::raise(signal);
    return;
  }
  noted = signal;
}

}  // namespace

InterruptNote::InterruptNote() {
  noted = 0;
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    before[k] = std::signal(kSignals[k], note_interrupt);
    if (before[k] == SIG_IGN) std::signal(kSignals[k], SIG_IGN);  // what the caller chose to ignore stays ignored
  }
}

InterruptNote::~InterruptNote() { restore(); }

int InterruptNote::signal() const { return noted; }

void InterruptNote::pass_on() const {
  const int signal = noted;
  if (signal == 0) return;
  restore();
  std::raise(signal);
}

}  // namespace quench::cli
