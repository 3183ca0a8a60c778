#include "command.h"

#include <memory>

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

void set_usage(CLI::App& command, const std::string& arguments) {
  std::string name = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent; parent = parent->get_parent())
    name = parent->get_name() + " " + name;
  command.formatter(std::make_shared<UsageFormatter>(name + " [OPTIONS]" + (arguments.empty() ? "" : " " + arguments)));
}

CLI::Validator one_of(std::vector<std::string> values) { return CLI::IsMember(std::move(values)).description(""); }

}  // namespace quench::cli
