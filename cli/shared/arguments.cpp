#include "cli/shared/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/error.h"
#include "cli/shared/output.h"
#include "model/strict_json.h"

namespace quench::cli {
namespace {

bool begins_like_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && !std::isdigit(static_cast<unsigned char>(argument[1]));
}

std::string full_name(const CLI::App& command) {
  return (command.get_parent() ? full_name(*command.get_parent()) + " " : "") + command.get_name();
}

class Splitter {
 public:
  explicit Splitter(CLI::App& program) : command_(&program) {}

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
    ++words_;
    for (CLI::Option* option : command_->get_options()) {
      if (!option->get_positional() || static_cast<int>(option->count()) >= option->get_items_expected_max()) continue;
      option->add_result(word);
      return;
    }
    if (!command_->get_subcommands([](const CLI::App*) { return true; }).empty() && words_ == 1)
      throw UserError(fmt::format("there is no command {}; `{} --help` lists them", model::in_quotes(word),
                                  full_name(*command_)));
    throw UserError(fmt::format("{} has no use for {}", full_name(*command_), model::in_quotes(word)));
  }

  /// "--name", "--name=value", "-n", "-nvalue"; the value may also be the next argument.
  void take_option(const std::string& argument, Iterator& at, Iterator end) {
    const bool is_long = argument.starts_with("--");
    const std::size_t name_end = is_long ? std::min(argument.find('='), argument.size()) : 2;
    const std::string name = argument.substr(0, name_end);
    const CLI::Option* option = command_->get_option_no_throw(name);
    if (!option)
      throw UserError(fmt::format("{} has no option {}; a word that begins with - is written after --",
                                  full_name(*command_), model::in_quotes(name)));
    if (option->get_items_expected_max() == 0) {  // a flag
      for_parser_.push_back(argument);
      return;
    }
    for_parser_.push_back(name);
    if (name_end < argument.size())
      take_value(name, argument.substr(name_end + (is_long ? 1 : 0)));
    else if (at + 1 != end)
      take_value(name, *++at);
  }

  void take_value(const std::string& name, const std::string& value) {
    if (value.empty()) throw UserError(fmt::format("{}: its value \"\" is empty", name));
    for_parser_.push_back(value);
  }

  CLI::App* command_;
  std::vector<std::string> for_parser_;
  std::size_t words_ = 0;
};

}  // namespace

ExitCode parse_arguments(App& program, const std::vector<std::string>& arguments) {
  CLI::App& parser = program.parser();
  std::vector<std::string> rest = Splitter(parser).split(arguments);
  std::reverse(rest.begin(), rest.end());  // as CLI11 wants them
  try {
    parser.parse(std::move(rest));
    return kDone;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = parser.exit(error, out, err);
    print(out.str());
    say(err.str());
    return code == 0 ? kDone : kUserText;
  }
}

}  // namespace quench::cli
