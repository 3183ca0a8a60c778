// Commands and their options, as the command files declare them. CLI11 does the work behind it; it takes ten times as
// long to compile as a command does, so only the files that implement this header and cli/arguments/arguments.h include it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/description.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace quench::cli {

/// Looks at what was typed: "" if it will do, otherwise what is wrong with it. It may put the text into another form.
struct Check {
  using Look = std::function<std::string(std::string& typed)>;
  template <class Function>
    requires std::is_invocable_r_v<std::string, Function, std::string&>
  Check(Function function) : look(std::move(function)) {}  // NOLINT: a function is a check
  Check(Look function, std::vector<std::string> possible) : look(std::move(function)), values(std::move(possible)) {}

  Look look;
  std::vector<std::string> values;  ///< all that will do, if they can be listed; for completion
};

/// One of these values. A misspelt one is told from which it is near, `understood` among them: what a check that stands
/// before this one turns into one of the values.
Check one_of(std::vector<std::string> values, const std::vector<std::string>& understood = {});

/// Where each option stands among the arguments: a place for every time it was given, or for every word.
using Places = std::map<const CLI::Option*, std::vector<std::size_t>>;

/// One option of a command. Its setters give the option itself, so that they can be strung together.
class Option {
 public:
  Option(CLI::Option& option, const Places& places) : option_(option), places_(places) {}

  Option* type_name(const std::string& name);  ///< what the help calls its value
  Option* check(Check check);
  Option* capture_default_str();  ///< the help shows the value that the variable has now
  Option* required();
  Option* group(const std::string& name);          ///< "" keeps it out of the help
  Option* delimiter(char delimiter);               ///< between several values in one argument
  Option* expected(int least, int most);           ///< number of values; −1: any
  Option* allow_extra_args(bool allow);            ///< whether the arguments that follow may be values, too
  Option* take_all();                              ///< given again, it adds to what was given before
  Option* offer(std::vector<std::string> values);  ///< what completion offers, where no check says it

  /// How often it was given.
  std::size_t count() const;
  /// Where its values stand among the arguments, in the order in which they were given.
  std::vector<std::size_t> places() const;
  /// Nothing if the help does not show it.
  std::optional<OptionDescription> describe() const;
  /// What the words of a command may be, if this is where they go and they can be listed.
  std::vector<std::string> words() const;

 private:
  CLI::Option& option_;
  const Places& places_;
  std::vector<std::string> values_;
};

/// A command, or the program itself. Variables are written when the command line is read, and have to last until then.
class App {
 public:
  App(const std::string& name, const std::string& help);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  App* add_subcommand(const std::string& name, const std::string& help);
  /// The heading under which the help lists the commands that are added from now on.
  void begin_group(const std::string& heading);
  void require_subcommand(int count);
  /// Whether one of its own commands was called.
  bool subcommand_called() const;
  /// What the command does once all of its options are read.
  void callback(std::function<void()> work);
  void footer(const std::string& text);
  /// What --json prints, in words, for the reference and the manual pages.
  void describe_json(const std::string& text);
  void set_version_flag(const std::string& name, const std::string& text);
  /// "quench run [OPTIONS] (MODEL | -e TEXT) WORD...": what follows [OPTIONS].
  void set_usage(const std::string& arguments);

  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  Option* add_option(const std::string& name, std::string& value, const std::string& help = "");
  Option* add_option(const std::string& name, int& value, const std::string& help);
  Option* add_option(const std::string& name, std::size_t& value, const std::string& help);
  Option* add_option(const std::string& name, double& value, const std::string& help);
  Option* add_option(const std::string& name, std::optional<std::string>& value, const std::string& help);
  Option* add_option(const std::string& name, std::optional<std::size_t>& value, const std::string& help);
  Option* add_option(const std::string& name, std::optional<double>& value, const std::string& help);
  Option* add_option(const std::string& name, std::vector<std::string>& values, const std::string& help);
  Option* add_option(const std::string& name, std::vector<std::size_t>& values, const std::string& help);
  /// Any number of words, as they were typed.
  Option* add_words(const std::string& name, std::vector<std::string>& words, const std::string& help = "");

  CLI::App& parser() { return app_; }
  /// Of all its commands together; who splits the arguments fills it in.
  Places& places() { return *places_; }

  /// What `--help` prints.
  std::string help() const;
  /// The command of this name, or null.
  const App* find_command(const std::string& name) const;
  /// Itself and the commands below it, as data.
  CommandDescription describe() const;

 private:
  App(CLI::App& app, std::shared_ptr<Places> places);
  template <class Value>
  Option* add(const std::string& name, Value& value, const std::string& help);
  Option* keep(CLI::Option* option);

  std::unique_ptr<CLI::App> owned_;  ///< of the program; commands belong to it
  CLI::App& app_;
  std::shared_ptr<Places> places_;
  std::string group_ = "Commands";  ///< of the next command
  std::string json_;
  std::vector<std::unique_ptr<App>> commands_;
  std::vector<std::unique_ptr<Option>> options_;
};

/// "quench bench attention"
std::string full_name(const CLI::App& command);
/// "quench run [OPTIONS] (MODEL | -e TEXT) WORD..."
std::string usage_of(const CLI::App& command);

}  // namespace quench::cli
