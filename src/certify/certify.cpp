#include "certify/certify.h"

#include <fmt/format.h>

#include <algorithm>

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
  std::uint64_t failing = 0;
  for (std::uint64_t n = 1; failing == 0; n = std::min(2 * n, longest)) {
    Attempt result = at(n);
    if (!result.proved) {
      failing = n;
      last_failure = std::move(result);
    } else {
      finding.length = n;
      finding.heads = std::move(result.heads);
      if (n == longest) return finding;
    }
  }
  while (failing - finding.length > 1) {
    const std::uint64_t middle = finding.length + (failing - finding.length) / 2;
    Attempt result = at(middle);
    if (result.proved) {
      finding.length = middle;
      finding.heads = std::move(result.heads);
    } else {
      failing = middle;
      last_failure = std::move(result);
    }
  }
  finding.limiting_head = last_failure.head < 0 ? "" : head_name(model, last_failure.head);
  finding.reason = last_failure.reason;
  return finding;
}

}  // namespace quench::certify
