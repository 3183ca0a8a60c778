// /api/command: the command line that does what is shown.
#include <algorithm>
#include <array>
#include <charconv>

#include "studio/desk.h"

namespace quench::studio {
namespace {

/// For a POSIX shell.
std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-./=@:,+").find(c) != std::string_view::npos;
  });
  if (plain) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

struct CommandLine {
  std::vector<std::string> words{"quench"};
  std::vector<std::string> notes;

  void add(std::initializer_list<std::string> more) { words.insert(words.end(), more); }
  std::string text() const {
    std::string result;
    for (const std::string& word : words) result += (result.empty() ? "" : " ") + quoted(word);
    return result;
  }
};

void add_rule(CommandLine& line, const RuleText& rule) {
  if (rule.kind == "regex") return line.add({"--regex", rule.text});
  if (rule.kind == "auto" || rule.kind == "formula" || rule.kind == "program") return line.add({"-e", rule.text});
  line.add({"rule." + rule.kind});
  line.notes.push_back("the automaton has to stand in the file rule." + rule.kind);
}

void add_options(CommandLine& line, const CompileOptions& options) {
  if (options.recipe != "auto") line.add({"--recipe", options.recipe});
  if (options.sharpen) line.add({"--sharpen", *options.sharpen == Sharpen::position ? "position" : "temperature"});
  if (options.decoder) line.add({"--decoder"});
  if (options.gamma) line.add({"--gamma", shortest(*options.gamma)});
  if (options.digits) line.add({"--digits"});
  if (options.length) line.add({"--length", std::to_string(*options.length)});
}

/// How the word is run: of the commands that run one.
void add_run(CommandLine& line, Fields& fields, bool runs) {
  const std::string format = fields.text("format", "f64");
  format_of(format);
  const bool hard = fields.truth("hard", false) || fields.any("warmth") == 0;
  if (const Json& warmth = fields.any("warmth"); !warmth.is_null() && warmth != 1 && warmth != 0)
    line.notes.push_back("the command line has no warmth: it shows the network at its own temperature");
  if (!runs) return;
  if (format != "f64") line.add({"--dtype", format});
  if (hard) line.add({"--weighting", "hard"});
}

void add_interventions(CommandLine& line, Fields& fields, bool traces) {
  const std::vector<std::string> ablated = fields.texts("ablated");
  const std::vector<Json> patches = fields.list("patches");
  if (!traces) {
    if (!ablated.empty() || !patches.empty())
      line.notes.push_back("heads are switched off and values overwritten by `quench trace` alone");
    return;
  }
  for (const std::string& head : ablated) line.add({"--ablate", to_text(head_index(head))});
  for (const Json& given : patches) {
    Fields patch(given, "a patch");
    const std::string name = patch.text("name");
    const auto position = patch.whole("position", 1, std::uint64_t{1} << 30);
    const double value = patch.number("value");
    patch.done();
    line.add({"--patch", name + "=" + shortest(value) + "@" + std::to_string(position.value_or(1))});
  }
}

void add_word(CommandLine& line, const std::string& word) {
  if (word.starts_with('-')) line.add({"--"});
  line.add({word});
}

}  // namespace

Json command(const Desk& desk, Fields& fields) {
  static constexpr std::array<std::string_view, 7> kCommands{"compile", "show",    "attend", "trace",
                                                             "run",     "certify", "verify"};
  const RuleText rule = rule_text(desk, fields);
  const CompileOptions options = compile_options(fields);
  const std::string what = fields.text("do", "run"), word = fields.text("word", ""), stage = fields.text("stage", "");
  if (std::find(kCommands.begin(), kCommands.end(), what) == kCommands.end())
    throw bad_request("there is no command '" + what + "' here", "do");
  const bool takes_word = what == "attend" || what == "trace" || what == "run";
  CommandLine line;
  line.add({what});
  add_rule(line, rule);
  add_options(line, options);
  add_run(line, fields, takes_word || what == "verify");
  add_interventions(line, fields, what == "trace");
  fields.done();
  if (what == "compile") line.add({"-o", "model.safetensors"});
  if (what == "certify") line.add({"-o", "certificate.json"});
  if (what == "show" && !stage.empty()) line.add({"--stage", stage});
  if (what == "attend") line.add({"--svg", "attention.svg"});
  if (takes_word) add_word(line, word);
  return {{"command", line.text()}, {"notes", line.notes}};
}

}  // namespace quench::studio
