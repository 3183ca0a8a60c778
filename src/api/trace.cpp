#include <algorithm>
#include <cmath>

#include <quench/inspect.h>

#include "api/convert.h"
#include "api/inside.h"
#include "model/temper.h"
#include "run/inspect/attention_grid.h"
#include "run/inspect/trace.h"

namespace quench::api {
namespace {

std::vector<run::HeadIndex> wanted_heads(const model::Transformer& model, const TraceOptions& options) {
  std::vector<run::HeadIndex> heads;
  if (options.attention) {
    for (const HeadIndex head : *options.attention) heads.push_back({head.layer, head.head});
    return heads;
  }
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h) heads.push_back({l, h});
  return heads;
}

run::Trace run_trace(const model::Transformer& model, std::string_view word, const TraceOptions& options) {
  run::TraceOptions wanted;
  wanted.run = {inside(options.format), options.hard};
  for (const HeadIndex head : options.ablated) wanted.ablated.push_back({head.layer, head.head});
  for (const Patch& patch : options.patches) wanted.patches.push_back({patch.tenant, patch.value, patch.position});
  wanted.attention = wanted_heads(model, options);
  wanted.values = options.values;
  return run::trace(model, model.alphabet.parse(word), wanted, model.alphabet.split(word));
}

/// −Σ α ln α; a weight that is no number makes it one, too.
double entropy_of(const double* weights, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j)
    if (weights[j] != 0) sum -= weights[j] * std::log(weights[j]);
  return sum + 0.0;  // not −0
}

TracedHead head_of(run::AttentionView view) {
  const std::size_t n = view.weights.rows;
  TracedHead head{{view.index.layer, view.index.head}, {n, n, std::move(view.weights.data)}, {}};
  for (std::size_t i = 0; i < n; ++i) head.entropy.push_back(entropy_of(head.weights.data.data() + i * n, n));
  return head;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

/// Every tenant when it is born, and when it has changed. A tenant lives in the steps from `from` to `to`, and
/// run::trace lists those that live in the order of the model. The sublayer that reads it last may clear it at the same
/// time, or give its place to another; only what nobody reads but the host is still of interest after that.
std::vector<TracedValues> changes(const model::Transformer& model, const std::vector<run::TraceStep>& steps) {
  std::vector<TracedValues> result;
  std::vector<const run::TracedCoordinate*> last(model.tenants.size());
  for (const run::TraceStep& step : steps) {
    std::size_t next = 0;
    for (std::size_t t = 0; t < model.tenants.size(); ++t) {
      if (step.sublayer < model.tenants[t].from || model.tenants[t].to < step.sublayer) continue;
      const run::TracedCoordinate& now = step.coordinates[next++];
      const bool over = step.sublayer == model.tenants[t].to && step.sublayer != steps.back().sublayer;
      if (last[t] && (over || same_bits(last[t]->raw, now.raw))) continue;
      last[t] = &now;
      result.push_back({t, step.sublayer, now.raw, now.boolean ? std::optional(now.distance) : std::nullopt});
    }
  }
  return result;
}

Model changed(model::Transformer other) {
  return Model(std::make_shared<const Model::Inside>(Model::Inside{std::move(other), std::nullopt}));
}

}  // namespace

Trace trace(const Model& model, std::string_view word, const TraceOptions& options) {
  return translated([&] {
    const model::Transformer& network = model.inside().model;
    run::Trace found = run_trace(network, word, options);
    Trace result;
    result.symbols = std::move(found.symbols);
    result.answer = answer_of(network.output, found.answers);
    result.raw = std::move(found.outputs);
    for (run::AttentionView& view : found.attention) result.heads.push_back(head_of(std::move(view)));
    result.values = changes(network, found.steps);
    return result;
  });
}

std::string attention_svg(const Model& model, std::string_view word, const TraceOptions& options) {
  return translated([&] {
    TraceOptions wanted = options;
    wanted.values = false;
    const run::Trace found = run_trace(model.inside().model, word, wanted);
    if (found.attention.empty()) throw quench::UserError("there is no head to be drawn");
    return found.attention.size() == 1 ? to_svg(found.attention.front()) : to_svg(found.attention);
  });
}

Model warmed(const Model& model, double factor) {
  if (!(factor > 0)) throw UserError("a temperature is multiplied by a number above 0; 0 is hard attention");
  return changed(model::warmed(model.inside().model, factor));
}

Model with_fixed_temperature(const Model& model, std::uint64_t length) {
  if (length == 0) throw UserError("there is no temperature at length 0");
  return changed(model::with_fixed_temperature(model.inside().model, length));
}

}  // namespace quench::api
