// /api/parse, and what the other endpoints share about the texts of rules.
#include <algorithm>
#include <array>

#include "studio/desk.h"
#include "studio/endpoints/places.h"

namespace quench::studio {
namespace {

/// What a client calls a kind of rule, and how the names of such files end.
struct Kind {
  const char* name;
  const char* file;
};
constexpr std::array<Kind, 7> kKinds{{{"auto", ""},
                                      {"formula", "rule.tl"},
                                      {"program", "rule.brasp"},
                                      {"regex", "rule.regex"},
                                      {"dfa", "rule.dfa"},
                                      {"att", "rule.att"},
                                      {"hoa", "rule.hoa"}}};

std::string kind_of(const std::string& asked, const Rule& rule) {
  if (asked != "auto") return asked;
  return rule.is_program() ? "program" : rule.is_automaton() ? "dfa" : "formula";
}

bool is_character(const std::string& symbol) {
  return std::count_if(symbol.begin(), symbol.end(),
                       [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }) == 1;
}

Json part_json(std::size_t id, const Part& part, const Places& places) {
  const bool placed = part.end > 0;
  return {{"id", id},
          {"operator", part.operation},
          {"text", part.text},
          {"name", part.name},
          {"from", placed ? Json(places.of_byte(part.begin)) : Json(nullptr)},
          {"to", placed ? Json(places.of_byte(part.end)) : Json(nullptr)},
          {"operands", part.operands}};
}

}  // namespace

RuleText rule_text(const Desk& desk, Fields& fields) {
  RuleText result{fields.text("text"), fields.text("kind", "auto")};
  if (std::none_of(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return result.kind == kind.name; }))
    throw bad_request("there is no kind of rule called '" + result.kind + "'", "kind");
  if (result.text.size() > desk.limits.text_bytes)
    throw over_limit("the text has " + std::to_string(result.text.size()) + " bytes; the studio takes " +
                         std::to_string(desk.limits.text_bytes) + ", the command line takes any",
                     "text_bytes", desk.limits.text_bytes, result.text.size());
  return result;
}

Rule parse_text(const RuleText& text) {
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& one) { return text.kind == one.name; });
  return parse_rule(text.text, kind->file);
}

Json diagnostics_json(const std::vector<Diagnostic>& diagnostics, const std::string& text) {
  const Places places(text);
  Json result = Json::array();
  for (const Diagnostic& one : diagnostics) {
    const std::size_t begin = places.byte_at(one.line, one.column);
    result.push_back({{"code", one.code},
                      {"severity", one.is_warning() ? "warning" : "error"},
                      {"message", one.message},
                      {"line", one.line},
                      {"column", one.column},
                      {"from", places.of_byte(begin)},
                      {"to", places.of_byte(begin + one.length)},
                      {"help", one.help},
                      {"explanation", explain(one.code)}});
  }
  return result;
}

Json rule_json(const std::string& text, const std::string& kind, const Rule& rule, const std::vector<Part>& parts,
               bool in_text) {
  const Places places(in_text ? text : "");
  const std::vector<std::string> symbols = rule.symbols();
  Json list = Json::array();
  for (std::size_t k = 0; k < parts.size(); ++k) list.push_back(part_json(k, parts[k], places));
  return {{"ok", true},
          {"kind", kind_of(kind, rule)},
          {"diagnostics", diagnostics_json(rule.warnings(), text)},
          {"text", rule.text()},
          {"symbols", symbols},
          {"separated", !std::all_of(symbols.begin(), symbols.end(), is_character)},
          {"answers", name_of(rule.answers())},
          {"parts", std::move(list)}};
}

Json parse(const Desk& desk, Fields& fields) {
  const RuleText text = rule_text(desk, fields);
  fields.done();
  try {
    const Rule rule = parse_text(text);
    return rule_json(text.text, text.kind, rule, parts(rule), true);
  } catch (const RuleError& error) {
    return {{"ok", false}, {"kind", text.kind}, {"diagnostics", diagnostics_json(error.diagnostics, text.text)}};
  }
}

CompileOptions compile_options(Fields& fields) {
  const Json& given = fields.any("options");
  CompileOptions options;
  options.certify = false;
  if (given.is_null()) return options;
  Fields inner(given, "'options'");
  options.recipe = inner.text("recipe", "auto");
  const std::string sharpen = inner.text("sharpen", "");
  if (sharpen == "temperature")
    options.sharpen = Sharpen::temperature;
  else if (sharpen == "position")
    options.sharpen = Sharpen::position;
  else if (!sharpen.empty())
    throw bad_request("'sharpen' is temperature, position or null", "sharpen");
  options.decoder = inner.truth("decoder", false);
  options.gamma = inner.real("gamma");
  options.digits = inner.truth("digits", false);
  options.length = inner.whole("length", 1, std::uint64_t{1} << 40);
  inner.done();
  return options;
}

Format format_of(const std::string& name) {
  const std::optional<Format> format = format_from(name);
  if (!format) throw bad_request("there is no number format called '" + name + "'", "format");
  return *format;
}

}  // namespace quench::studio
