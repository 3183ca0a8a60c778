// What the endpoints work with, and the endpoints themselves; docs/studio.md says what each takes and gives. They see
// neither sockets nor each other.
#pragma once

#include <string>

#include "studio/exchange.h"
#include "studio/fields.h"
#include "studio/jobs.h"
#include "studio/limits.h"
#include "studio/models.h"

namespace quench::studio {

struct Desk {
  explicit Desk(const Limits& allowed, std::string program_version)
      : limits(allowed), version(std::move(program_version)), models(allowed), jobs(allowed) {}

  const Limits limits;
  const std::string version;
  Models models;
  Jobs jobs;
};

Json about(const Desk& desk);
Json parse(const Desk& desk, Fields& fields);
Json compile(Desk& desk, Fields& fields);
Json weights(Desk& desk, Fields& fields);
Json word(Desk& desk, Fields& fields);
Reply certify(Desk& desk, Fields& fields);
Reply verify(Desk& desk, Fields& fields);
Reply failure(Desk& desk, Fields& fields);
Reply length(Desk& desk, Fields& fields);
Json command(const Desk& desk, Fields& fields);
Reply attention_picture(Desk& desk, Fields& fields);
/// What stands behind "/api/models/" in an address. Throws Refusal.
Reply download(Desk& desk, const std::string& what);

// What several of them read.

struct RuleText {
  std::string text, kind;
};
/// `text` and `kind`. Throws Refusal.
RuleText rule_text(const Desk& desk, Fields& fields);
/// Throws RuleError.
Rule parse_text(const RuleText& text);
CompileOptions compile_options(Fields& fields);
/// Throws Refusal if there is no such format.
Format format_of(const std::string& name);
HeadIndex head_index(const std::string& text);
std::string to_text(const HeadIndex& head);

// What several of them write.

Json rule_json(const std::string& text, const std::string& kind, const Rule& rule, const std::vector<Part>& parts,
               bool in_text);
Json diagnostics_json(const std::vector<Diagnostic>& diagnostics, const std::string& text);
Json network_json(const Network& network);
/// The entries of a row as [index, value].
Json row_json(const WeightRow& row);
Json answer_json(const Answer& answer);

}  // namespace quench::studio
