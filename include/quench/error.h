// What the library throws, by guilt. It never prints, never ends the program and never reads the environment.
//
// The names of these headers are declared in quench::api, apart from the library's own, and spoken of as quench::… by
// those who use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quench {
namespace api {}
#ifndef QUENCH_LIBRARY  // the library's own files see both
using namespace api;
#endif
}  // namespace quench

namespace quench::api {

/// All that follows. (A std::logic_error from the library is a bug in it, std::bad_alloc is what it always is.)
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What was handed in cannot be used: a word, an option, a model that does not fit the request.
struct UserError : Error {
  using Error::Error;
};

/// A file cannot be read, written or understood.
struct IoError : Error {
  using Error::Error;
};

/// What is wrong with the text of a rule, or odd about it.
struct Diagnostic {
  std::string code;  ///< "E012"; see explain()
  std::string message;
  std::size_t line = 1, column = 1;  ///< where it begins, in characters, counted from 1
  std::size_t length = 0;            ///< so many bytes of the text are meant
  std::vector<std::string> help;     ///< what was expected, ways out

  /// Codes of warnings begin with W: the text means something, but hardly what was meant.
  bool is_warning() const { return code.starts_with('W'); }
};

/// The text of a rule cannot be used, or not by the recipe that was asked for. what() shows the lines, with carets.
struct RuleError : UserError {
  RuleError(const std::string& rendered, std::vector<Diagnostic> found)
      : UserError(rendered), diagnostics(std::move(found)) {}
  std::vector<Diagnostic> diagnostics;  ///< in the order of the text; never empty
};

/// A word is longer than the model's certificate answers for.
struct LengthRefused : Error {
  LengthRefused(const std::string& message, std::uint64_t refused, std::uint64_t allowed)
      : Error(message), length(refused), longest(allowed) {}
  std::uint64_t length;   ///< of the word
  std::uint64_t longest;  ///< that is answered for
};

/// What a code means, in a few sentences; empty if there is no such code.
std::string explain(std::string_view code);

}  // namespace quench::api
