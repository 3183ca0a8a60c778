// How a failure is told: its exit code, the text for people on standard error, and the object that --json asks for.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "cli/command.h"

namespace quench::cli {

struct Failure {
  ExitCode exit = kInternal;
  std::string kind;     ///< "arguments", "text", "files", "internal"; "refused": a negative finding without a report
  std::string message;  ///< one sentence
  std::string text;     ///< for people: the message, or the user's text with carets
  struct Place {
    std::string code, message, help;
    std::size_t line = 0, column = 0;
  };
  std::vector<Place> places;  ///< of the user's text
};

/// Every kind of error that the library and the commands throw.
Failure failure_of(std::exception_ptr error);

/// {"error":{"kind","message","exit","diagnostics":[{"code","line","column","message","help"}…]}}, the last for texts.
std::string to_json(const Failure& failure);

/// Whether the arguments ask for JSON, however wrong they are otherwise.
bool json_asked(const std::vector<std::string>& arguments);

}  // namespace quench::cli
