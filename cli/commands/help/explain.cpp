// quench explain: what an error code means, with a wrong and a right example.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/text/explain.h"
#include "cli/arguments/source.h"
#include "cli/command.h"

namespace quench::cli {
namespace {

std::string indented(std::string_view text) {
  std::string result = "    ";
  for (const char c : text) result += c == '\n' ? "\n    " : std::string(1, c);
  return result;
}

}  // namespace

void add_explain(App& program) {
  App* app = program.add_subcommand("explain", "Explain an error code; without one, list them all");
  auto code = std::make_shared<std::string>();
  app->add_option("code", *code)->group("");
  app->set_usage("[CODE]");
  app->callback([code] {
    if (code->empty()) {
      for (const Explanation& entry : all_explanations()) print(fmt::format("{}  {}\n", entry.code, entry.title));
      return;
    }
    const Explanation* found = explain(*code);
    if (!found) throw UserError("there is no error code '" + *code + "'; `quench explain` lists them all");
    print(fmt::format("{}: {}\n\n{}\n\nwrong:\n{}\n\nright:\n{}\n", found->code, found->title, found->text,
                      indented(found->wrong), indented(found->right)));
  });
}

}  // namespace quench::cli
