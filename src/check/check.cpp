#include "check/check.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text/utf8.h"
#include "check/facts.h"
#include "check/normalised/lens.h"
#include "check/soften/softened.h"
#include "check/whole/cells.h"
#include "model/file.h"

namespace quench::check {
namespace {

using model::Summation;

void derive_output(const Claim& claim, const Facts& facts, std::uint32_t coordinate) {
  for (int kind = 0; kind < kKinds; ++kind) {
    if (!occurs(kind, claim.longest)) continue;
    const Fact& output = facts[static_cast<std::size_t>(kind)][coordinate];
    if (!output.whole || !(Number(0) <= output.low()) || !(output.high() <= Number(1)) || !(output.error < Number(0.5)))
      throw Rejected("the output is not shown to be right");
  }
}

/// Truth values, read off one coordinate or off that of every case.
void derive_outputs(const Claim& claim, const Facts& facts) {
  const model::Output& output = claim.model.output;
  if (!model::reads_truth_values(output.kind)) throw Rejected("the output is a number");
  if (output.cases.empty()) return derive_output(claim, facts, output.coordinate);
  for (const model::Output::Case& one : output.cases) derive_output(claim, facts, one.coordinate);
}

std::vector<Line> derive_with_errors(const Claim& claim) {
  std::vector<Line> lines;
  Facts facts = read_embedding(claim);
  bool sinks = false;
  for (const model::Layer& layer : claim.model.layers)
    for (const model::Head& head : layer.heads) sinks = sinks || head.claim.structure == HeadStructure::sink;
  for (const model::Layer& layer : claim.model.layers) {
    pass_attention(claim, layer, facts, facts, lines);
    const long first_id = unused_id(facts);
    for (int kind = 0; kind < kKinds; ++kind) {
      std::vector<Fact>& here = facts[static_cast<std::size_t>(kind)];
      if (occurs(kind, claim.longest))
        pass_feed_forward(claim, layer.ffn, here, here, first_id, sinks && (is_first(kind) || is_last(kind)));
    }
  }
  derive_outputs(claim, facts);
  return lines;
}

/// The same through layer normalisation.
void derive_normalised(const Claim& claim) {
  if (!model::reads_truth_values(claim.model.output.kind)) throw Rejected("the output is a number");
  std::vector<Line> lines;
  Facts facts = read_embedding(claim);
  Lens lens(claim, facts);
  for (const model::Layer& layer : claim.model.layers) {
    pass_attention(claim, layer, lens.through(facts, most_terms(layer)), facts, lines);
    lens.after_heads(facts, layer);
    const Facts seen = lens.through(facts, most_terms(layer.ffn.w1) + 1);
    const long first_id = unused_id(facts);
    for (int kind = 0; kind < kKinds; ++kind)
      if (const auto index = static_cast<std::size_t>(kind); occurs(kind, claim.longest))
        pass_feed_forward(claim, layer.ffn, seen[index], facts[index], first_id, false);
    lens.after_units(facts, seen, layer.ffn);
  }
  lens.need_labels(facts);
}

std::vector<Line> derive(const Claim& claim) {
  std::vector<Line> lines =
      in_whole_numbers(claim.model) ? derive_in_whole_numbers(claim) : derive_with_errors(claim);
  std::size_t number = 0;
  for (std::size_t l = 0; l < claim.model.layers.size(); ++l)
    for (std::size_t h = 0; h < claim.model.layers[l].heads.size(); ++h)
      lines[number++].name = fmt::format("{}.{} {}", l, h, claim.model.layers[l].heads[h].name);
  return lines;
}

/// A written bound is true if the derived one is no larger (up to the rounding of the written decimal).
bool agrees(double written, double derived) { return std::isfinite(written) && written >= derived * (1 - 1e-15); }

void compare(const std::vector<model::HeadLine>& heads, const std::vector<Line>& lines) {
  if (heads.size() != lines.size()) throw Rejected("the certificate lists other heads than the model has");
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const model::HeadLine& head = heads[k];
    const Line& line = lines[k];
    const std::string name = printable(line.name);
    if (head.name != line.name) throw Rejected(name + ": another name is written");
    if (head.lemma != name_of(line.lemma)) throw Rejected(name + ": another lemma is written");
    if (!(head.gap <= line.gap * (1 + 1e-15) && head.gap >= line.gap * (1 - 1e-15)))
      throw Rejected(name + ": the gap is not what is written");
    if (!agrees(head.score_error, line.score_error) || !agrees(head.bound, line.bound))
      throw Rejected(fmt::format("{}: an error bound is not what is written: {} {} derived {} {}", name,
                                 head.score_error, head.bound, line.score_error, line.bound));
  }
}

Sums sums_of(Summation summation) {
  switch (summation) {
    case Summation::any:
      return Sums::any;
    case Summation::normalise_last:
      return Sums::normalise_last;
    case Summation::exact_count:
      return Sums::exact_count;
  }
  throw Rejected("an unknown way of summing");
}

void check_entry(const model::Entry& entry, const model::Transformer& model) {
  const model::Finding& finding = entry.finding;
  if (finding.length == 0) {  // nothing is claimed
    if (!finding.heads.empty()) throw Rejected("lines about no length");
    return;
  }
  const Claim claim{model, storage_format(entry.format), compute_format(entry.format), sums_of(entry.summation),
                    static_cast<double>(finding.length)};
  const std::vector<Line> lines = derive(claim);
  compare(finding.heads, lines);
  bool known = finding.limiting_head.empty();
  for (const Line& line : lines) known = known || finding.limiting_head == line.name;
  if (!known) throw Rejected("the head said to limit the length does not exist");
}

}  // namespace

std::optional<std::string> objection(const model::Entry& entry, const model::Transformer& model) {
  try {
    check_entry(entry, model);
    return std::nullopt;
  } catch (const Rejected& failure) {
    return failure.what();
  }
}

std::optional<std::string> objection(const model::FolderEntry& entry, const model::FolderCertificate& certificate,
                                     const model::Transformer& model) {
  if (entry.length == 0) return std::nullopt;  // nothing is claimed
  const Pinned pins{static_cast<double>(certificate.width), static_cast<double>(certificate.pairs),
                    certificate.constant, entry.moments == model::Moments::two_pass};
  const Claim claim{model, storage_format(certificate.format), compute_format(certificate.format), Sums::any,
                    static_cast<double>(entry.length), &pins};
  try {
    if (entry.length > certificate.context) throw Rejected("a length beyond the context");
    if (in_whole_numbers(model))
      derive_in_whole_numbers(claim);
    else
      derive_normalised(claim);
    return std::nullopt;
  } catch (const Rejected& failure) {
    return failure.what();
  }
}

Verdict check(const model::Certificate& certificate, const model::Transformer& model) {
  Verdict verdict;
  if (certificate.model != model::fingerprint(model)) {
    verdict.reason = "it is about another model (the hash differs)";
  } else if (certificate.recipe != model.recipe || certificate.source != model.source) {
    verdict.reason = "it names another rule or recipe";
  } else if (!certificate.softened.empty()) {
    return check_softened(certificate, model);
  } else {
    for (const model::Entry& entry : certificate.entries) {
      if (const auto why = objection(entry, model)) {
        verdict.reason = fmt::format("entry {}: {}", verdict.entries + 1, *why);
        return verdict;
      }
      ++verdict.entries;
    }
    verdict.accepted = true;
  }
  return verdict;
}

Verdict check(const std::string& text, const model::Transformer& model) {
  Verdict verdict;
  if (text.empty()) {
    verdict.reason = "there is no certificate";
    return verdict;
  }
  try {
    return check(model::certificate_from_json(text), model);
  } catch (const IoError& failure) {
    verdict.reason = std::string("not a certificate: ") + failure.what();
  }
  return verdict;
}

}  // namespace quench::check
