// quench help --man
#include <fmt/format.h>

#include <algorithm>

#include "cli/help/pages.h"
#include "cli/output/version.h"

namespace quench::cli {
namespace {

/// Text as roff takes it: hyphens that can be copied, and no line that begins like a request.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return result;
}

std::string option_names(const OptionDescription& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.value.empty() && !option.positional) text += " \\fI" + roff(option.value) + "\\fR";
  return text;
}

std::string options_section(const CommandDescription& command, bool positional) {
  std::string text;
  for (const OptionDescription& option : command.options) {
    if (option.positional != positional) continue;
    text += ".TP\n" + option_names(option) + "\n" + roff(option.help);
    if (!option.initial.empty()) text += roff(" (" + option.initial + " if not given)");
    text += "\n";
  }
  return text.empty() ? "" : fmt::format(".SH {}\n{}", positional ? "ARGUMENTS" : "OPTIONS", text);
}

/// The commands below, under their headings.
std::string commands_section(const CommandDescription& command) {
  std::string text, group;
  for (const CommandDescription& below : command.commands) {
    if (below.group != group) text += ".SS " + roff(group = below.group) + "\n";
    text += ".TP\n\\fB" + roff(man_name(below)) + "\\fR(1)\n" + roff(below.help) + "\n";
  }
  return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

}  // namespace

std::string man_name(const CommandDescription& command) {
  std::string name = command.full_name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const CommandDescription& program, const CommandDescription& command) {
  std::string title = man_name(command);
  std::ranges::transform(title, title.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  std::string text = fmt::format(".TH {} 1 \"\" \"quench {}\" \"quench\"\n", roff(title), version());
  text += ".SH NAME\n" + roff(man_name(command)) + " \\- " + roff(command.help) + "\n";
  text += ".SH SYNOPSIS\n" + roff(command.usage) + "\n";
  text += options_section(command, true) + options_section(command, false) + commands_section(command);
  if (!command.json.empty()) text += ".SH JSON\n" + roff(command.json) + "\n";
  text +=
      ".SH EXIT STATUS\n0 done, 1 a negative finding, 2 the user's text or arguments, 3 files, 70 a bug in quench.\n"
      ".SH SEE ALSO\n";
  return text + (command.full_name == program.full_name ? "The documents in docs/, which begin with docs/tutorial.md.\n"
                                                        : "\\fBquench\\fR(1)\n");
}

}  // namespace quench::cli
