#include "check/check.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "check/facts.h"
#include "model/file.h"

namespace quench::check {
namespace {

using Json = nlohmann::json;

constexpr double kBeyond = 0x1p53;  // a length of null: no limit below this

std::vector<Line> derive(const Claim& claim) {
  std::vector<Line> lines;
  Facts facts = read_embedding(claim);
  bool sinks = false;
  for (const model::Layer& layer : claim.model.layers)
    for (const model::Head& head : layer.heads) sinks = sinks || head.claim.structure == "sink";
  for (const model::Layer& layer : claim.model.layers) {
    pass_attention(claim, layer, facts, lines);
    const long first_id = unused_id(facts);
    for (int kind = 0; kind < kKinds; ++kind)
      if (occurs(kind, claim.longest))
        pass_feed_forward(claim, layer.ffn, facts[static_cast<std::size_t>(kind)], first_id,
                          sinks && (is_first(kind) || is_last(kind)));
  }
  for (int kind = 0; kind < kKinds; ++kind) {
    if (!occurs(kind, claim.longest)) continue;
    const Fact& output = facts[static_cast<std::size_t>(kind)][claim.model.output.coordinate];
    if (!output.whole || !(Number(0) <= output.low()) || !(output.high() <= Number(1)) || !(output.error < Number(0.5)))
      throw Rejected("the output is not shown to be right");
  }
  std::size_t number = 0;
  for (std::size_t l = 0; l < claim.model.layers.size(); ++l)
    for (std::size_t h = 0; h < claim.model.layers[l].heads.size(); ++h)
      lines[number++].name = fmt::format("{}.{} {}", l, h, claim.model.layers[l].heads[h].name);
  return lines;
}

/// A written bound is true if the derived one is no larger (up to the rounding of the written decimal).
bool agrees(double written, double derived) { return std::isfinite(written) && written >= derived * (1 - 1e-15); }

void compare(const Json& heads, const std::vector<Line>& lines) {
  if (heads.size() != lines.size()) throw Rejected("the certificate lists other heads than the model has");
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const Json& head = heads[k];
    const Line& line = lines[k];
    if (head.at("name") != line.name) throw Rejected(line.name + ": another name is written");
    if (head.at("lemma") != line.lemma) throw Rejected(line.name + ": another lemma is written");
    if (head.at("gap").get<double>() > line.gap * (1 + 1e-15) || head.at("gap").get<double>() < line.gap * (1 - 1e-15))
      throw Rejected(line.name + ": the gap is not what is written");
    if (!agrees(head.at("score_error").get<double>(), line.score_error) ||
        !agrees(head.at("bound").get<double>(), line.bound))
      throw Rejected(fmt::format("{}: an error bound is not what is written: {} {} derived {} {}", line.name,
                                 head.at("score_error").get<double>(), head.at("bound").get<double>(), line.score_error,
                                 line.bound));
  }
}

void check_entry(const Json& entry, const model::Transformer& model) {
  const auto format = number_format_from(entry.at("dtype").get<std::string>());
  if (!format) throw Rejected("an unknown number format");
  const std::string summation = entry.at("summation").get<std::string>();
  Claim claim{model, storage_format(*format), compute_format(*format), Sums::any, kBeyond};
  if (summation == "normalise-last")
    claim.sums = Sums::normalise_last;
  else if (summation == "exact-count")
    claim.sums = Sums::exact_count;
  else if (summation != "any")
    throw Rejected("an unknown way of summing");
  const Json& length = entry.at("length");
  if (!length.is_null()) {
    if (!length.is_number_unsigned() || length.get<std::uint64_t>() >= static_cast<std::uint64_t>(kBeyond))
      throw Rejected("a length that is not a whole number");
    claim.longest = static_cast<double>(length.get<std::uint64_t>());
  }
  if (claim.longest == 0) {  // nothing is claimed
    if (!entry.at("heads").empty()) throw Rejected("lines about no length");
    return;
  }
  const std::vector<Line> lines = derive(claim);
  compare(entry.at("heads"), lines);
  const Json& limiting = entry.at("limiting_head");
  bool known = limiting.is_null();
  for (const Line& line : lines) known = known || limiting == line.name;
  if (!known) throw Rejected("the head said to limit the length does not exist");
}

}  // namespace

Verdict check(const std::string& text, const model::Transformer& model) {
  Verdict verdict;
  if (text.empty()) {
    verdict.reason = "there is no certificate";
    return verdict;
  }
  try {
    const Json certificate = Json::parse(text);
    if (certificate.at("version") != 1) throw Rejected("an unknown version");
    if (certificate.at("model") != model::fingerprint(model))
      throw Rejected("it is about another model (the hash differs)");
    if (certificate.at("recipe") != model.recipe || certificate.at("source") != model.source)
      throw Rejected("it names another rule or recipe");
    if (!certificate.at("entries").is_array()) throw Rejected("no entries");
    if (certificate.contains("soften")) {
      verdict.covered = false;
      verdict.reason =
          "made by `quench soften` (Theorem 26, intervals through the network), whose bounds are not re-derived here; "
          "only that it is about this model, rule and recipe was checked";
      return verdict;
    }
    for (const Json& entry : certificate.at("entries")) {
      check_entry(entry, model);
      ++verdict.entries;
    }
    verdict.accepted = true;
  } catch (const Json::exception&) {
    verdict.reason = "not a certificate";
  } catch (const Rejected& failure) {
    verdict.reason =
        verdict.entries == 0 ? failure.what() : fmt::format("entry {}: {}", verdict.entries + 1, failure.what());
  }
  return verdict;
}

}  // namespace quench::check
