// Long work that can be put away: an interrupt is noted, and the work ends itself at the next step.
#pragma once

namespace quench::cli {

/// Thrown by the work once it has put itself away; the program then ends by the signal, as if it had not been caught.
struct Interrupted {
  int signal;
};

/// While it lives, SIGINT and SIGTERM are noted. A second one ends the program at once.
class InterruptNote {
 public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  /// The signal that came, or 0.
  int signal() const;
  /// Lets a signal that came do what it would have done otherwise: it ends the program, and its temporaries with it. For
  /// work that leaves nothing half done, wherever it stands.
  void pass_on() const;
};

}  // namespace quench::cli
