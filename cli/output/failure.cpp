#include "cli/output/failure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <new>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/output/terminal.h"

namespace quench::cli {
namespace {

Failure plain(ExitCode exit, const char* kind, const std::string& message) {
  return {exit, kind, message, fmt::format("{}: {}\n", coloured_word("error", kRed), message), {}};
}

Failure of_text(const std::vector<Diagnostic>& diagnostics, const std::string& source, const std::string& message) {
  Failure failure = plain(kUserText, "text", message);
  for (const Diagnostic& one : diagnostics) {
    const SourcePlace place = place_of(source, one.span.begin);
    failure.places.push_back(
        {one.code, one.message, fmt::format("{}", fmt::join(one.notes, "\n")), place.line, place.column});
  }
  return failure;
}

}  // namespace

Failure failure_of(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RenderedError& error) {
    Failure failure = of_text(error.diagnostics, error.source, error.what());
    failure.text = rendered(error.diagnostics, error.source, error.source_name);
    return failure;
  } catch (const DiagnosticError& error) {
    return of_text(error.diagnostics, "", error.what());
  } catch (const UserError& error) {
    return plain(kUserText, "arguments", error.what());
  } catch (const IoError& error) {
    return plain(kFiles, "files", error.what());
  } catch (const std::bad_alloc&) {
    return plain(kUserText, "arguments", "not enough memory for this");
  } catch (const std::exception& error) {
    Failure failure = plain(kInternal, "internal", error.what());
    failure.text =
        fmt::format("{}: {}\nThis is a bug in quench; please report it, with what `quench --version` prints.\n",
                    coloured_word("internal error", kRed), error.what());
    return failure;
  }
}

std::string to_json(const Failure& failure) {
  nlohmann::ordered_json error{
      {"kind", failure.kind}, {"message", failure.message}, {"exit", static_cast<int>(failure.exit)}};
  if (failure.kind == "text") error["diagnostics"] = nlohmann::ordered_json::array();
  for (const Failure::Place& place : failure.places)
    error["diagnostics"].push_back({{"code", place.code},
                                    {"line", place.line},
                                    {"column", place.column},
                                    {"message", place.message},
                                    {"help", place.help}});
  const nlohmann::ordered_json json{{"error", std::move(error)}};
  // Arguments and texts may be any bytes; what is not UTF-8 is replaced.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

bool json_asked(const std::vector<std::string>& arguments) {
  for (std::size_t k = 0; k < arguments.size() && arguments[k] != "--"; ++k) {
    if (k > 0 && arguments[k - 1] == "-e") continue;
    const std::string& argument = arguments[k];
    if (argument == "--json" || argument == "--jsonl" || argument == "--format=json") return true;
    if (argument == "--format" && k + 1 < arguments.size() && arguments[k + 1] == "json") return true;
  }
  return false;
}

}  // namespace quench::cli
