#include "train/harden.h"

#include <algorithm>

#include "base/error.h"
#include "base/tied_keys.h"

namespace quench::train {
namespace {

/// What the rows of one head looked like.
struct Seen {
  double rows = 0, tied = 0;
  double shared = 0, single = 0;  ///< sums of the distances to ahardmax, and to one maximiser alone
};

void look(const std::vector<double>& weights, Seen& seen) {
  if (weights.empty()) return;
  const double most = *std::ranges::max_element(weights);
  const auto maximisers = static_cast<double>(std::ranges::count(weights, most));
  seen.rows += 1;
  seen.tied += maximisers > 1 ? 1 : 0;
  seen.shared += std::max(0.0, 2 * (1 - maximisers * most));
  seen.single += 2 * (1 - most);
}

std::vector<std::vector<Seen>> look_at_rows(const model::Transformer& model, const std::vector<Word>& words) {
  std::vector<std::vector<Seen>> seen;
  for (const model::Layer& layer : model.layers) seen.emplace_back(layer.heads.size());
  const run::ReferenceExecutor executor(model);
  run::ReferenceExecutor::Workspace workspace;
  run::Observer observer;
  observer.row = [&](run::HeadIndex head, std::size_t, std::size_t, const std::vector<double>& weights) {
    look(weights, seen[head.layer][head.head]);
  };
  for (const Word& word : words) executor.run(word, workspace, observer);
  return seen;
}

Weighting choose(const model::Head& head, const Seen& seen, std::optional<Weighting> to) {
  if (to) return *to;
  const bool by_construction = head.claim.structure != HeadStructure::none || head.claim.lemma != Lemma::none;
  if (by_construction || head.intended != Weighting::soft) return head.intended;
  return seen.tied == 0 ? Weighting::rhardmax : Weighting::ahardmax;
}

}  // namespace

Hardening harden(const model::Transformer& model, const std::vector<Word>& words, std::optional<Weighting> to) {
  if (words.empty()) throw UserError("hardening looks at how a model attends; it needs at least one word");
  const auto seen = look_at_rows(model, words);
  Hardening result{model, {}};
  result.model.certificate.clear();  // it spoke of the soft model
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h) {
      model::Head& head = result.model.layers[l].heads[h];
      const Seen& rows = seen[l][h];
      head.weighting = head.intended = choose(head, rows, to);
      const double total = head.weighting == Weighting::soft ? 0
                           : takes_one_key(head.weighting)   ? rows.single
                                                             : rows.shared;
      const double count = std::max(rows.rows, 1.0);
      result.heads.push_back({{l, h}, head.name, head.weighting, total / count, rows.tied / count});
    }
  return result;
}

std::vector<Lesson> label_by(const model::Transformer& model, const std::vector<Word>& words) {
  const run::ReferenceExecutor executor(model);
  run::ReferenceExecutor::Workspace workspace;
  std::vector<double> outputs;
  std::vector<Lesson> lessons;
  for (const Word& word : words) {
    executor.outputs(word, workspace, outputs);
    lessons.push_back({word, run::booleans(outputs)});
  }
  return lessons;
}

}  // namespace quench::train
