// Errors by guilt. The user's text has Diagnostics (base/text/diagnostic.h); these are the rest.
// The library throws and never prints; the command line maps each kind to its exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace quench {

/// Something the user handed in cannot be used: a word, an argument, a model that does not fit the request (exit 2).
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The world: a file cannot be read, written or understood (exit 3).
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Our own bug: an invariant that no input should be able to break (exit 70).
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] inline void internal_error(const char* condition, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + condition);
}

}  // namespace quench

#define QUENCH_ASSERT(condition) \
  do {                           \
    if (!(condition)) ::quench::internal_error(#condition, __FILE__, __LINE__); \
  } while (false)
