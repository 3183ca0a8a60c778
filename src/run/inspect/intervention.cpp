// Reading what the user wants ablated or patched, and complaining with what there is instead.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/text/suggest.h"
#include "base/text/utf8.h"
#include "run/inspect/trace.h"

namespace quench::run {

namespace {

constexpr std::size_t kNamesShown = 20;

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool has_name(const model::Transformer& transformer, std::string_view name) {
  return std::any_of(transformer.tenants.begin(), transformer.tenants.end(),
                     [&](const model::Tenant& tenant) { return tenant.name == name; });
}

/// The patch as one of a coordinate that the model has. A name of the rule may not be stored itself, but as the value
/// that attention retrieved and that is rounded where it is read, or as its negation.
std::optional<Patch> of_coordinate(const Patch& patch, const model::Transformer& transformer) {
  if (has_name(transformer, patch.coordinate)) return patch;
  const std::string retrieved = patch.coordinate + ", attended", negation = "!(" + patch.coordinate + ")";
  if (has_name(transformer, retrieved)) return Patch{retrieved, patch.value, patch.position};
  for (const std::string& name : {negation, negation + ", attended"})
    if (has_name(transformer, name)) return Patch{name, 1 - patch.value, patch.position};
  return std::nullopt;
}

[[noreturn]] void unknown_name(std::string_view name, const model::Transformer& transformer) {
  std::vector<std::string> names;
  for (const model::Tenant& tenant : transformer.tenants)
    if (std::find(names.begin(), names.end(), printable(tenant.name, kShownName)) == names.end() &&
        names.size() <= kNamesShown)
      names.push_back(printable(tenant.name, kShownName));
  const bool more = names.size() > kNamesShown;
  if (more) names.pop_back();
  std::vector<std::string_view> all;
  for (const model::Tenant& tenant : transformer.tenants) all.push_back(tenant.name);
  const std::string meant = nearest(name, all);
  throw UserError(fmt::format("the model has no coordinate named '{}'; it has {}{}{}", name,
                              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")), more ? ", …" : "",
                              meant.empty() ? "" : fmt::format("; did you mean {}?", printable(meant, kShownName))));
}

}  // namespace

void require_head(HeadIndex index, const model::Transformer& transformer) {
  if (transformer.layers.empty()) throw UserError("the model has no layers, hence no heads");
  if (index.layer >= transformer.layers.size())
    throw UserError(
        fmt::format("there is no layer {}; layers are 0 to {}", index.layer, transformer.layers.size() - 1));
  const auto& heads = transformer.layers[index.layer].heads;
  if (index.head < heads.size()) return;
  std::string names;
  for (std::size_t h = 0; h < heads.size() && h < kNamesShown; ++h)
    names += fmt::format("{}{}.{} ({})", h == 0 ? "" : ", ", index.layer, h, printable(heads[h].name, kShownName));
  throw UserError(fmt::format("layer {} has no head {}; it has {}{}", index.layer, index.head,
                              names.empty() ? "no heads" : names, heads.size() > kNamesShown ? ", …" : ""));
}

void require_patch(const Patch& patch, const model::Transformer& transformer, std::size_t n) {
  if (!has_name(transformer, patch.coordinate)) unknown_name(patch.coordinate, transformer);
  if (patch.position < 1 || patch.position > n)
    throw UserError(fmt::format("cannot patch position {}: the word has positions 1 to {}", patch.position, n));
}

HeadIndex parse_head(std::string_view text, const model::Transformer& transformer) {
  const std::size_t dot = text.find('.');
  const std::optional<std::size_t> layer = parse_number<std::size_t>(text.substr(0, dot));
  const std::optional<std::size_t> head =
      dot == std::string_view::npos ? std::nullopt : parse_number<std::size_t>(text.substr(dot + 1));
  if (!layer || !head)
    throw UserError(fmt::format("'{}' is not a head: write layer.head, both counted from 0, as in 0.1", text));
  require_head({*layer, *head}, transformer);
  return {*layer, *head};
}

Patch parse_patch(std::string_view text, const model::Transformer& transformer) {
  const auto malformed = [&](const char* why) {
    return UserError(fmt::format("'{}' is not a patch ({}): write coordinate=value@position, as in x=1@3", text, why));
  };
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) throw malformed("no @");
  const std::size_t equals = text.substr(0, at).rfind('=');
  if (equals == std::string_view::npos || equals == 0) throw malformed("no name before =");
  const std::optional<double> value = parse_number<double>(text.substr(equals + 1, at - equals - 1));
  if (!value || !std::isfinite(*value)) throw malformed("the value is not a number");
  const std::optional<std::size_t> position = parse_number<std::size_t>(text.substr(at + 1));
  if (!position || *position == 0) throw malformed("positions are counted from 1");
  const std::string_view name = text.substr(0, equals);
  const std::optional<Patch> patch = of_coordinate({std::string(name), *value, *position}, transformer);
  if (!patch) unknown_name(name, transformer);
  return *patch;
}

}  // namespace quench::run
