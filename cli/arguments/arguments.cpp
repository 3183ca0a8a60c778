#include "cli/arguments/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "base/error.h"
#include "base/text/suggest.h"
#include "cli/output/output.h"
#include "cli/output/terminal.h"
#include "model/file/strict_json.h"

namespace quench::cli {
namespace {

bool begins_like_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && !std::isdigit(static_cast<unsigned char>(argument[1]));
}

/// "; did you mean X?", or `otherwise` if nothing is near.
std::string did_you_mean(const std::string& typed, const std::vector<std::string>& names,
                         const std::string& otherwise) {
  const std::string meant = nearest(typed, {names.begin(), names.end()});
  return meant.empty() ? otherwise : fmt::format("; did you mean {}?", meant);
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// Whether any word may follow, and so one that begins like an option.
bool takes_words(const CLI::App& command) { return usage_of(command).find("WORD") != std::string::npos; }

class Splitter {
 public:
  Splitter(CLI::App& program, Places& places) : command_(&program), places_(places) {}

  /// Options, their values and the names of commands, for CLI11.
  std::vector<std::string> split(const std::vector<std::string>& arguments) {
    bool words_only = false;
    for (auto at = arguments.begin(); at != arguments.end(); ++at) {
      if (!words_only && *at == "--")
        words_only = true;
      else if (!words_only && begins_like_option(*at))
        take_option(*at, at, arguments.end());
      else if (words_only || !enter_command(*at))
        take_word(*at);
    }
    return std::move(for_parser_);
  }

  /// The command that the arguments named.
  const CLI::App& command() const { return *command_; }

 private:
  using Iterator = std::vector<std::string>::const_iterator;

  bool enter_command(const std::string& name) {
    if (words_ > 0) return false;
    const auto commands = command_->get_subcommands([&](const CLI::App* one) { return one->check_name(name); });
    if (commands.empty()) return false;
    command_ = commands.front();
    for_parser_.push_back(name);
    return true;
  }

  void take_word(const std::string& word) {
    if (++words_ == 1) refuse_misspelt_command(word);
    for (CLI::Option* option : command_->get_options()) {
      if (!option->get_positional() || static_cast<int>(option->count()) >= option->get_items_expected_max()) continue;
      option->add_result(word);
      note_place(option);
      return;
    }
    if (!command_names(*command_).empty() && words_ == 1)
      throw UserError(fmt::format("{} has no command {}; `{} --help` lists them", full_name(*command_),
                                  model::in_quotes(word), full_name(*command_)));
    throw UserError(fmt::format("{} has no use for {}", full_name(*command_), model::in_quotes(word)));
  }

  /// Of a command that has commands and takes files: a file of this name is what was meant, if there is one.
  void refuse_misspelt_command(const std::string& word) const {
    std::error_code ignored;
    if (std::filesystem::exists(word, ignored)) return;
    const std::string meant = did_you_mean(word, command_names(*command_), "");
    if (!meant.empty())
      throw UserError(fmt::format("{} has no command {}{}", full_name(*command_), model::in_quotes(word), meant));
  }

  /// "--name", "--name=value", "-n", "-nvalue"; the value may also be the next argument.
  void take_option(const std::string& argument, Iterator& at, Iterator end) {
    const bool is_long = argument.starts_with("--");
    const std::size_t name_end = is_long ? std::min(argument.find('='), argument.size()) : 2;
    const std::string name = argument.substr(0, name_end);
    const CLI::Option* option = command_->get_option_no_throw(name);
    if (!option)
      throw UserError(fmt::format(
          "{} has no option {}{}", full_name(*command_), model::in_quotes(name),
          did_you_mean(name, option_names(*command_),
                       takes_words(*command_) ? "; a word that begins with - is written after --"
                                              : fmt::format("; `{} --help` lists them", full_name(*command_)))));
    if (option->get_items_expected_max() == 0) {  // a flag
      for_parser_.push_back(argument);
      return;
    }
    for_parser_.push_back(name);
    note_place(option);
    if (name_end < argument.size())
      take_value(name, argument.substr(name_end + (is_long ? 1 : 0)));
    else if (at + 1 != end)
      take_value(name, *++at);
    else
      throw UserError(fmt::format("{} needs a value: {}", name, option->get_type_name()));
  }

  void note_place(const CLI::Option* option) { places_[option].push_back(next_place_++); }

  void take_value(const std::string& name, const std::string& value) {
    if (value.empty()) throw UserError(fmt::format("{}: its value \"\" is empty", name));
    for_parser_.push_back(value);
  }

  CLI::App* command_;
  Places& places_;
  std::vector<std::string> for_parser_;
  std::size_t words_ = 0, next_place_ = 0;
};

/// What is missing or too much, by its name and its place; for everything else CLI11's words, which begin with the option.
std::string explanation(const CLI::ParseError& error, const CLI::App& command) {
  if (error.get_name() == "ValidationError") return error.what();
  const std::string name = full_name(command), more = fmt::format("; `{} --help` tells more", name);
  if (command.get_require_subcommand_min() > 0 && command.get_subcommands().empty())
    return fmt::format("{} needs a command: {}{}", name, fmt::join(command_names(command), ", "), more);
  for (const CLI::Option* option : command.get_options()) {
    const auto given = static_cast<int>(option->count());
    const std::string what = option->get_positional() ? option->get_single_name() : option->get_name();
    if (option->get_required() && given == 0) return fmt::format("{} needs {}{}", name, what, more);
    if (given > option->get_items_expected_max() && option->get_items_expected_max() > 0)
      return fmt::format("{} is given {} times; once is enough", what, given);
  }
  return error.what();
}

}  // namespace

ExitCode parse_arguments(App& program, const std::vector<std::string>& arguments) {
  CLI::App& parser = program.parser();
  Splitter splitter(parser, program.places());
  std::vector<std::string> rest = splitter.split(arguments);
  std::reverse(rest.begin(), rest.end());  // as CLI11 wants them
  try {
    parser.parse(std::move(rest));
    return kDone;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    if (parser.exit(error, out, err) != 0) throw UserError(explanation(error, splitter.command()));
    print(folded(out.str()));
    return kDone;
  }
}

}  // namespace quench::cli
