#include "cli/arguments/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text/suggest.h"
#include "cli/arguments/numbers.h"
#include "model/file/strict_json.h"

namespace quench::cli {
namespace {

constexpr std::uint64_t kHighest = std::uint64_t{1} << 31;

std::vector<std::string_view> limit_names() {
  std::vector<std::string_view> names;
  for (const automata::NamedLimit& limit : automata::kNamedLimits) names.push_back(limit.name);
  return names;
}

/// "" and the limit set, or what is wrong.
std::string set_limit(automata::Limits& limits, const std::string& given) {
  const std::size_t sign = std::min(given.find('='), given.size());
  const std::string name = given.substr(0, sign);
  const auto known = std::ranges::find(automata::kNamedLimits, name, &automata::NamedLimit::name);
  if (known == std::end(automata::kNamedLimits)) {
    const std::string meant = nearest(name, limit_names());
    return fmt::format("there is no limit {}{}; limits: {}", model::in_quotes(name),
                       meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant), fmt::join(limit_names(), " "));
  }
  const auto value = sign < given.size() ? read_whole(given.substr(sign + 1)) : std::nullopt;
  if (!value || *value < 1 || *value > kHighest)
    return fmt::format("{} is not {}= and a number from 1 to {}", model::in_quotes(given), name, kHighest);
  limits.*(known->value) = *value;
  return "";
}

}  // namespace

void LimitArguments::add_to(App& command) {
  std::vector<std::string> begun;
  for (const std::string_view name : limit_names()) begun.push_back(std::string(name) + "=");
  command
      .add_option(
          "--limit", given_,
          "Regular languages: what may be spent, such as states=200000; repeatable (docs/automata.md lists them)")
      ->type_name("NAME=N")
      ->offer(std::move(begun))
      ->allow_extra_args(false)
      ->take_all();
}

automata::Limits LimitArguments::limits() const {
  automata::Limits limits;
  for (const std::string& one : given_)
    if (const std::string wrong = set_limit(limits, one); !wrong.empty()) throw UserError("--limit: " + wrong);
  return limits;
}

}  // namespace quench::cli
