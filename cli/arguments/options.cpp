#include "cli/arguments/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text/suggest.h"
#include "model/file/strict_json.h"

namespace quench::cli {
namespace {

class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }
  /// One blank line before what follows the options, also where an empty group stands between.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = help.find("\n\n\n", at)) != std::string::npos;) help.erase(at, 1);
    return help;
  }

 private:
  std::string usage_;
};

/// Of the program: its commands come first.
class OverviewFormatter : public UsageFormatter {
 public:
  using UsageFormatter::UsageFormatter;
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return make_description(app) + make_usage(app, name) + make_subcommands(app, mode) + make_groups(app, mode) + "\n" +
           make_footer(app);
  }
};

/// By the formatter itself: CLI11's help() is that of the command which was called.
std::string help_of(const CLI::App& command) {
  return command.get_formatter()->make_help(&command, full_name(command), CLI::AppFormatMode::Normal);
}

}  // namespace

std::string full_name(const CLI::App& command) {
  return (command.get_parent() ? full_name(*command.get_parent()) + " " : "") + command.get_name();
}

std::string usage_of(const CLI::App& command) {
  const std::string help = help_of(command), usage = "Usage: ";
  const std::size_t begin = help.find(usage) + usage.size();
  return help.substr(begin, help.find('\n', begin) - begin);
}

Check one_of(std::vector<std::string> values, const std::vector<std::string>& understood) {
  std::vector<std::string> near = values;
  near.insert(near.end(), understood.begin(), understood.end());
  const auto look = [values, near](const std::string& typed) {
    if (std::find(values.begin(), values.end(), typed) != values.end()) return std::string();
    const std::string meant = nearest(typed, {near.begin(), near.end()});
    return fmt::format("{} is not one of {}{}", model::in_quotes(typed), fmt::join(values, ", "),
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
  };
  return {look, values};
}

Option* Option::type_name(const std::string& name) { return option_.type_name(name), this; }
Option* Option::check(Check check) {
  // The help text of the option says what it takes; a check may change what was typed, which CLI11 calls to transform.
  values_ = check.values;
  return option_.transform(CLI::Validator(check.look, "")), this;
}
Option* Option::capture_default_str() { return option_.capture_default_str(), this; }
Option* Option::required() { return option_.required(), this; }
Option* Option::group(const std::string& name) { return option_.group(name), this; }
Option* Option::delimiter(char delimiter) { return option_.delimiter(delimiter), this; }
Option* Option::expected(int least, int most) { return option_.expected(least, most), this; }
Option* Option::allow_extra_args(bool allow) { return option_.allow_extra_args(allow), this; }
Option* Option::take_all() { return option_.take_all(), this; }
Option* Option::offer(std::vector<std::string> values) { return values_ = std::move(values), this; }
std::size_t Option::count() const { return option_.count(); }
std::vector<std::size_t> Option::places() const {
  const auto found = places_.find(&option_);
  return found == places_.end() ? std::vector<std::size_t>() : found->second;
}

std::optional<OptionDescription> Option::describe() const {
  if (option_.get_group().empty()) return std::nullopt;
  OptionDescription description;
  for (const std::string& name : option_.get_snames()) description.names.push_back("-" + name);
  for (const std::string& name : option_.get_lnames()) description.names.push_back("--" + name);
  description.positional = option_.get_positional();
  if (description.positional) description.names = {option_.get_name(true, false)};
  if (option_.get_items_expected_max() > 0) description.value = option_.get_type_name();
  description.initial = option_.get_default_str();
  description.help = option_.get_description();
  description.values = values_;
  return description;
}

std::vector<std::string> Option::words() const {
  return option_.get_positional() ? values_ : std::vector<std::string>();
}

App::App(const std::string& name, const std::string& help)
    : owned_(std::make_unique<CLI::App>(help, name)), app_(*owned_), places_(std::make_shared<Places>()) {}
App::App(CLI::App& app, std::shared_ptr<Places> places) : app_(app), places_(std::move(places)) {}
App::~App() = default;

App* App::add_subcommand(const std::string& name, const std::string& help) {
  CLI::App* command = app_.add_subcommand(name, help)->group(group_);
  commands_.push_back(std::unique_ptr<App>(new App(*command, places_)));
  return commands_.back().get();
}
void App::begin_group(const std::string& heading) { group_ = heading; }
void App::require_subcommand(int count) { app_.require_subcommand(count); }
bool App::subcommand_called() const { return !app_.get_subcommands().empty(); }
void App::callback(std::function<void()> work) { app_.callback(std::move(work)); }
void App::footer(const std::string& text) { app_.footer(text); }
void App::describe_json(const std::string& text) { json_ = text; }
void App::set_version_flag(const std::string& name, const std::string& text) { app_.set_version_flag(name, text); }

void App::set_usage(const std::string& arguments) {
  const std::string usage = full_name(app_) + " [OPTIONS]" + (arguments.empty() ? "" : " " + arguments);
  if (app_.get_parent())
    app_.formatter(std::make_shared<UsageFormatter>(usage));
  else
    app_.formatter(std::make_shared<OverviewFormatter>(usage));
}

std::string App::help() const { return help_of(app_); }

const App* App::find_command(const std::string& name) const {
  for (const auto& command : commands_)
    if (command->app_.get_name() == name) return command.get();
  return nullptr;
}

CommandDescription App::describe() const {
  CommandDescription description;
  description.name = app_.get_name();
  description.full_name = full_name(app_);
  description.group = app_.get_group();
  description.help = app_.get_description();
  description.json = json_;
  description.usage = usage_of(app_);
  for (const auto& option : options_) {
    if (const auto shown = option->describe()) description.options.push_back(*shown);
    if (const auto words = option->words(); !words.empty()) description.words = words;
  }
  for (CLI::Option* own : app_.get_options())
    if (own == app_.get_help_ptr() || own == app_.get_version_ptr())
      description.options.push_back(*Option(*own, *places_).describe());
  for (const auto& command : commands_) description.commands.push_back(command->describe());
  return description;
}

Option* App::keep(CLI::Option* option) {
  options_.push_back(std::make_unique<Option>(*option, *places_));
  return options_.back().get();
}

template <class Value>
Option* App::add(const std::string& name, Value& value, const std::string& help) {
  return keep(app_.add_option(name, value, help));
}

Option* App::add_flag(const std::string& name, bool& value, const std::string& help) {
  return keep(app_.add_flag(name, value, help));
}
Option* App::add_option(const std::string& name, std::string& value, const std::string& help) {
  return add(name, value, help);
}
Option* App::add_option(const std::string& name, int& value, const std::string& help) { return add(name, value, help); }
Option* App::add_option(const std::string& name, std::size_t& value, const std::string& help) {
  return add(name, value, help);
}
Option* App::add_option(const std::string& name, double& value, const std::string& help) {
  return add(name, value, help);
}
Option* App::add_option(const std::string& name, std::optional<std::string>& value, const std::string& help) {
  // By a callback, to which CLI11 hands what was typed as it is.
  const CLI::callback_t take = [&value](const CLI::results_t& typed) {
    value = typed.front();
    return true;
  };
  return keep(app_.add_option(name, take, help));
}
Option* App::add_option(const std::string& name, std::optional<std::size_t>& value, const std::string& help) {
  return add(name, value, help);
}
Option* App::add_option(const std::string& name, std::optional<double>& value, const std::string& help) {
  return add(name, value, help);
}
Option* App::add_option(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  return add(name, values, help);
}
Option* App::add_option(const std::string& name, std::vector<std::size_t>& values, const std::string& help) {
  return add(name, values, help);
}

Option* App::add_words(const std::string& name, std::vector<std::string>& words, const std::string& help) {
  const CLI::callback_t take = [&words](const CLI::results_t& typed) {
    words = typed;
    return true;
  };
  // Without extra arguments CLI11 leaves brackets alone.
  CLI::Option* option = app_.add_option(name, take, help);
  return keep(option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false));
}

}  // namespace quench::cli
