// What the public classes hold, and how the library's own errors become the public ones. Names of include/quench are
// those of quench::api; the library's own are one level up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quench/certify.h>
#include <quench/error.h>
#include <quench/model.h>
#include <quench/rule.h>

#include "base/error.h"
#include "base/text/diagnostic.h"
#include "certified/runner.h"
#include "lang/rule.h"
#include "model/certificate.h"
#include "model/transformer.h"

namespace quench::api {

struct Rule::Inside {
  lang::Rule rule;
  std::string text, name;  ///< as given, for diagnostics
};

struct Model::Inside {
  model::Transformer model;
  std::optional<lang::Rule> compiled_from;  ///< by us, just now: nothing has to be shown
};

struct Certificate::Inside {
  model::Certificate certificate;
};

/// Calls `work`; what it throws comes out as the public headers have it.
template <class Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const quench::UserError& error) {
    throw UserError(error.what());
  } catch (const quench::IoError& error) {
    throw IoError(error.what());
  } catch (const certified::LengthRefused& refused) {
    throw LengthRefused(refused.what(), refused.length, refused.longest);
  }
}

/// With places in the text instead of offsets.
std::vector<Diagnostic> placed(const std::vector<quench::Diagnostic>& found, std::string_view text);

/// The same for work on a rule's text.
template <class Work>
auto diagnosed(std::string_view text, std::string_view name, Work work) {
  try {
    return translated(work);
  } catch (const DiagnosticError& error) {
    throw RuleError(render(error.diagnostics, text, name), placed(error.diagnostics, text));
  }
}

}  // namespace quench::api
