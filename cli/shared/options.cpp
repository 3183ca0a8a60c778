#include "cli/shared/options.h"

#include <CLI/CLI.hpp>

namespace quench::cli {
namespace {

class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }

 private:
  std::string usage_;
};

}  // namespace

Check one_of(std::vector<std::string> values) {
  const CLI::Validator member = CLI::IsMember(std::move(values));
  return [member](std::string& typed) { return member(typed); };
}

Option* Option::type_name(const std::string& name) { return option_.type_name(name), this; }
Option* Option::check(Check check) {
  // The help text of the option says what it takes; a check may change what was typed, which CLI11 calls to transform.
  return option_.transform(CLI::Validator([check](std::string& typed) { return check(typed); }, "")), this;
}
Option* Option::capture_default_str() { return option_.capture_default_str(), this; }
Option* Option::required() { return option_.required(), this; }
Option* Option::group(const std::string& name) { return option_.group(name), this; }
Option* Option::delimiter(char delimiter) { return option_.delimiter(delimiter), this; }
Option* Option::expected(int least, int most) { return option_.expected(least, most), this; }
Option* Option::allow_extra_args(bool allow) { return option_.allow_extra_args(allow), this; }
Option* Option::take_all() { return option_.take_all(), this; }
std::size_t Option::count() const { return option_.count(); }

App::App(const std::string& name, const std::string& help)
    : owned_(std::make_unique<CLI::App>(help, name)), app_(*owned_) {}
App::App(CLI::App& app) : app_(app) {}
App::~App() = default;

App* App::add_subcommand(const std::string& name, const std::string& help) {
  commands_.push_back(std::unique_ptr<App>(new App(*app_.add_subcommand(name, help))));
  return commands_.back().get();
}
void App::require_subcommand(int count) { app_.require_subcommand(count); }
bool App::subcommand_called() const { return !app_.get_subcommands().empty(); }
void App::callback(std::function<void()> work) { app_.callback(std::move(work)); }
void App::footer(const std::string& text) { app_.footer(text); }
void App::set_version_flag(const std::string& name, const std::string& text) { app_.set_version_flag(name, text); }

void App::set_usage(const std::string& arguments) {
  std::string name = app_.get_name();
  for (const CLI::App* parent = app_.get_parent(); parent; parent = parent->get_parent())
    name = parent->get_name() + " " + name;
  app_.formatter(std::make_shared<UsageFormatter>(name + " [OPTIONS]" + (arguments.empty() ? "" : " " + arguments)));
}

Option* App::keep(CLI::Option* option) {
  options_.push_back(std::make_unique<Option>(*option));
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
