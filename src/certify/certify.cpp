#include "certify/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "certify/proof.h"

namespace quench::certify {
namespace {

std::string head_name(const model::Transformer& model, int number) {
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h)
      if (number-- == 0) return fmt::format("{}.{} {}", l, h, model.layers[l].heads[h].name);
  return {};
}

/// The lines of a proof of one length; throws NotProved.
std::vector<HeadLine> prove(const Setting& setting) {
  std::vector<HeadLine> lines;
  State state = embed(setting);
  for (const model::Layer& layer : setting.model.layers) {
    attend(setting, layer, static_cast<int>(lines.size()), state, lines);
    feed_forward(setting, layer.ffn, state);
  }
  const Value& output = state[setting.model.output.coordinate];
  for (std::size_t c = 0; c < kClasses; ++c) {
    const Set& set = output.ideal[c];
    if (setting.has_class(static_cast<int>(c)) && (!set.integral || set.all().low < 0 || set.all().high > 1))
      throw NotProved("the output is not Boolean", output.origin);
  }
  if (!(output.error < Upper(0.5))) throw NotProved("the error of the output reaches ½", output.origin);
  for (std::size_t k = 0; k < lines.size(); ++k) lines[k].name = head_name(setting.model, static_cast<int>(k));
  return lines;
}

bool has_sinks(const model::Transformer& model) {
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads)
      if (head.claim.structure == "sink") return true;
  return false;
}

struct Attempt {
  std::vector<HeadLine> heads;
  bool proved = false;
  int head = -1;
  std::string reason;
};

Attempt attempt(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation, std::uint64_t n) {
  Attempt result;
  try {
    result.heads = prove({model, arithmetic, summation, static_cast<double>(n), has_sinks(model)});
    result.proved = true;
  } catch (const NotProved& failure) {
    result.head = failure.head;
    result.reason = failure.what();
  }
  return result;
}

}  // namespace

std::string_view to_string(Summation summation) {
  switch (summation) {
    case Summation::any:
      return "any";
    case Summation::normalise_last:
      return "normalise-last";
    case Summation::exact_count:
      return "exact-count";
  }
  return {};
}

bool holds(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation, std::uint64_t length) {
  return length <= kLongest && (length == 0 || attempt(model, arithmetic, summation, length).proved);
}

Finding certify(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation,
                std::uint64_t longest) {
  const auto at = [&](std::uint64_t n) { return attempt(model, arithmetic, summation, n); };
  Finding finding;
  Attempt last_failure;
  // Lengths above `failing` are not tried. First 1 and the longest, then powers of two by bisecting their exponents,
  // then what lies between two of them.
  std::uint64_t failing = longest + 1;
  const auto middle = [&] {
    const std::uint64_t proved = finding.length;
    if (proved == 0) return std::uint64_t{1};
    if (proved == 1 && failing == longest + 1) return longest;
    if (failing <= 2 * proved) return proved + (failing - proved) / 2;
    const auto exponent = static_cast<int>(std::bit_width(proved) + std::bit_width(failing - 1)) / 2;
    return std::max(std::uint64_t{1} << (exponent - 1), 2 * proved);
  };
  while (failing - finding.length > 1) {
    const std::uint64_t n = middle();
    Attempt result = at(n);
    if (result.proved) {
      finding.length = n;
      finding.heads = std::move(result.heads);
    } else {
      failing = n;
      last_failure = std::move(result);
    }
  }
  if (finding.length == longest) return finding;
  finding.limiting_head = last_failure.head < 0 ? "" : head_name(model, last_failure.head);
  finding.reason = last_failure.reason;
  return finding;
}

}  // namespace quench::certify
