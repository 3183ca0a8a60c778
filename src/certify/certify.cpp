#include "certify/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text/utf8.h"
#include "certify/normalised/reads.h"
#include "certify/proof.h"
#include "certify/whole/whole.h"

namespace quench::certify {
namespace {

std::string head_name(const model::Transformer& model, std::size_t layer, std::size_t head) {
  return fmt::format("{}.{} {}", layer, head, model.layers[layer].heads[head].name);
}

/// Of a head counted through all layers.
std::string head_name(const model::Transformer& model, int number) {
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto heads = static_cast<int>(model.layers[l].heads.size());
    if (number < heads) return head_name(model, l, static_cast<std::size_t>(number));
    number -= heads;
  }
  return {};
}

void require_boolean(const Setting& setting, const Value& output) {
  for (std::size_t c = 0; c < kClasses; ++c) {
    const Set& set = output.ideal[c];
    if (setting.has_class(static_cast<int>(c)) && (!set.integral || set.all().low < 0 || set.all().high > 1))
      throw NotProved("the output is not Boolean", output.origin);
  }
  if (!(output.error < Upper(0.5))) throw NotProved("the error of the output reaches ½", output.origin);
}

/// What is put out is read off coordinates that are at least ½ or below: one, or one per case of a string.
void require_boolean_outputs(const Setting& setting, const State& state) {
  const model::Output& output = setting.model().output;
  if (!model::reads_truth_values(output.kind)) throw NotProved("the output is a number", -1);
  if (output.cases.empty()) require_boolean(setting, state[output.coordinate]);
  for (const model::Output::Case& one : output.cases) require_boolean(setting, state[one.coordinate]);
}

std::vector<HeadLine> prove_with_errors(const Setting& setting) {
  std::vector<HeadLine> lines;
  State state = embed(setting);
  for (const model::Layer& layer : setting.model().layers) {
    attend(setting, layer, static_cast<int>(lines.size()), state, state, lines);
    feed_forward(setting, layer.ffn, state, state);
  }
  require_boolean_outputs(setting, state);
  return lines;
}

/// The same where a stock decoder's layer normalisation stands before every sublayer and before the output.
std::vector<HeadLine> prove_normalised(const Setting& setting) {
  std::vector<HeadLine> lines;
  State state = embed(setting);
  NormalisedReads reads(setting, state);
  for (const model::Layer& layer : setting.model().layers) {
    attend(setting, layer, static_cast<int>(lines.size()), reads.before_attention(state, layer), state, lines);
    reads.attended(state, layer);
    const State read = reads.before_feed_forward(state, layer.ffn);
    feed_forward(setting, layer.ffn, read, state);
    reads.fed_forward(state, read, layer.ffn);
  }
  const State read = reads.before_output(state);
  require_boolean_outputs(setting, read);
  reads.require_certain_labels(read);
  return lines;
}

/// The lines of a proof of one length; throws NotProved.
std::vector<HeadLine> prove(const Setting& setting) {
  std::vector<HeadLine> lines = is_whole(setting.model()) ? prove_whole(setting)
                                : setting.layer_norm       ? prove_normalised(setting)
                                                           : prove_with_errors(setting);
  std::size_t number = 0;
  for (std::size_t l = 0; l < setting.model().layers.size(); ++l)
    for (std::size_t h = 0; h < setting.model().layers[l].heads.size(); ++h)
      lines[number++].name = head_name(setting.model(), l, h);
  return lines;
}

struct Attempt {
  std::vector<HeadLine> heads;
  bool proved = false;
  int head = -1;
  std::string reason;
};

Attempt attempt(const Prepared& prepared, const Arithmetic& arithmetic, Summation summation, std::uint64_t n,
                const LayerNorm* layer_norm = nullptr) {
  Attempt result;
  try {
    result.heads = prove({prepared, arithmetic, summation, static_cast<double>(n), layer_norm});
    result.proved = true;
  } catch (const NotProved& failure) {
    result.head = failure.head;
    result.reason = failure.what();
  }
  return result;
}

/// Reasons may quote what a file says of its heads.
void describe(const model::Transformer& model, const Attempt& failure, Finding& finding) {
  finding.limiting_head = failure.head < 0 ? "" : head_name(model, failure.head);
  finding.reason = printable(failure.reason, 300);
}

}  // namespace

bool computes_whole_numbers(const model::Transformer& model) { return is_whole(model); }

bool holds(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation, std::uint64_t length) {
  return length <= kLongest && (length == 0 || attempt(Prepared(model), arithmetic, summation, length).proved);
}

Finding obstacle(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation,
                 std::uint64_t length, const LayerNorm* layer_norm) {
  Finding finding;
  if (length <= kLongest)
    describe(model, attempt(Prepared(model), arithmetic, summation, length, layer_norm), finding);
  return finding;
}

Finding certify(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation,
                std::uint64_t longest, const LayerNorm* layer_norm) {
  const Prepared prepared(model);
  const auto at = [&](std::uint64_t n) { return attempt(prepared, arithmetic, summation, n, layer_norm); };
  Finding finding;
  Attempt last_failure;
  // Lengths above `failing` are not tried. First 1 and the longest, then powers of two by bisecting their exponents,
  // then what lies between two of them: most formats run out of bits at a power of two itself, so the length after it
  // comes first.
  std::uint64_t failing = longest + 1;
  const auto middle = [&] {
    const std::uint64_t proved = finding.length;
    if (proved == 0) return std::uint64_t{1};
    if (proved == 1 && failing == longest + 1) return longest;
    if (failing == 2 * proved && std::has_single_bit(proved)) return proved + 1;
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
  describe(model, last_failure, finding);
  return finding;
}

}  // namespace quench::certify
