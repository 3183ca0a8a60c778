// quench explain: what an error code means, with a wrong and a right example.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/text/explain.h"
#include "base/text/suggest.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"

namespace quench::cli {
namespace {

std::string indented(std::string_view text) {
  std::string result = "    ";
  for (const char c : text) result += c == '\n' ? "\n    " : std::string(1, c);
  return result;
}

/// "; did you mean E006?" of E6, e006 and E00G; otherwise where they are listed.
std::string meant_by(const std::string& typed) {
  std::vector<std::string_view> codes;
  for (const Explanation& entry : all_explanations()) codes.push_back(entry.code);
  std::string meant = nearest(typed, codes);
  const std::string_view digits = std::string_view(typed).substr(std::min<std::size_t>(typed.size(), 1));
  if (const auto number = read_whole(digits); number && *number < 1000) {
    const std::string padded = fmt::format("{}{:03}", typed[0] == 'w' || typed[0] == 'W' ? 'W' : 'E', *number);
    if (explain(padded)) meant = padded;
  }
  return meant.empty() ? "; `quench explain` lists them all" : fmt::format("; did you mean {}?", meant);
}

}  // namespace

void add_explain(App& program) {
  App* app = program.add_subcommand("explain", "Explain an error code; without one, list them all");
  auto code = std::make_shared<std::string>();
  std::vector<std::string> codes;
  for (const Explanation& entry : all_explanations()) codes.emplace_back(entry.code);
  app->add_option("code", *code)->group("")->offer(std::move(codes));
  app->set_usage("[CODE]");
  app->callback([code] {
    if (code->empty()) {
      for (const Explanation& entry : all_explanations()) print(fmt::format("{}  {}\n", entry.code, entry.title));
      return;
    }
    const Explanation* found = explain(*code);
    if (!found) throw UserError(fmt::format("there is no error code '{}'{}", *code, meant_by(*code)));
    print(fmt::format("{}: {}\n\n{}\n\nwrong:\n{}\n\nright:\n{}\n", found->code, found->title, found->text,
                      indented(found->wrong), indented(found->right)));
  });
}

}  // namespace quench::cli
