#include "run/stream/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text/utf8.h"
#include "model/position.h"
#include "run/reference/plan.h"
#include "run/stream/static_facts.h"
#include "run/stream/stream_heads.h"
#include "run/structured/methods/head_range.h"

namespace quench::run {

namespace {

using Kind = PositionFormula::Kind;

/// Formulas of i alone.
bool streams(const PositionFormula& formula) {
  switch (formula.kind) {
    case Kind::index:
    case Kind::index_sq:
    case Kind::inverse_index:
    case Kind::alternating:
    case Kind::log_index:
    case Kind::index_alternating:
    case Kind::digit_0:
    case Kind::digit_1:
    case Kind::digit_2:
    case Kind::table:
      return true;
    case Kind::predicate:
    case Kind::predicate_at_zero:
      return !formula.predicate->depends_on_length();
    default:
      return false;
  }
}

void require_streamable(const model::Transformer& model, const Options& options) {
  if (options.hard || (options.format != NumberFormat::f64 && options.format != NumberFormat::f32))
    throw UserError("--stream runs soft attention in f64 or f32");
  for (const model::PositionEncoding& pe : model.position_encodings)
    if (!streams(pe.formula))
      throw UserError(
          fmt::format("this model cannot be streamed: its position encoding {} depends on the length; "
                      "compile with --decoder",
                      printable(to_string(pe.formula))));
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads) {
      if (head.mask != Mask::future && head.mask != Mask::strict_future)
        throw UserError(
            fmt::format("this model cannot be streamed: head '{}' sees later positions; compile with "
                        "--decoder",
                        printable(head.name)));
      if (head.weighting != Weighting::soft)
        throw UserError(
            fmt::format("this model cannot be streamed: head '{}' has hard attention", printable(head.name)));
      if (depends_on_length(head.temperature))
        throw UserError(
            fmt::format("this model cannot be streamed: the temperature of head '{}' depends on the length; "
                        "compile with --decoder",
                        printable(head.name)));
    }
}

/// Of heads that ask for the bits from some bit up, and have a sink where a bit says so. Heads without one have rows in
/// which no key fits, and then all keys count.
PositionClock clock_of(const HeadPlan& head, const StaticFacts& facts, const std::vector<bool>& common) {
  std::map<int, PositionClock::Bit, std::greater<>> asked;
  bool sink = false;
  for (const FlatRows::Row& row : head.q.rows) {
    if (common[row.index]) continue;
    const auto query = facts.by_bit(head.q, row);
    if (!query) return {};
    if (query->at_0 * query->at_1 < 0)
      asked[query->bit] = {row.index, query->at_1 < 0};
    else
      sink = true;
  }
  PositionClock clock;
  for (const auto& [bit, component] : asked) {
    if (!clock.bits.empty() && !asked.contains(bit + 1)) return {};
    clock.bits.push_back(component);
  }
  return sink ? clock : PositionClock{};
}

std::unique_ptr<StreamHead> make_head(const HeadPlan& head, const StaticFacts& facts, int precision) {
  const bool strict = head.mask == Mask::strict_future;
  std::vector<bool> common(head.components);
  bool steady = true;
  for (const FlatRows::Row& row : head.q.rows)
    steady &= common[row.index] = head.temperature == Temperature::one && facts.constant(head.q, row);
  // 1/τ is 1, i or i², so t = q/τ rises as q ≥ 0 does.
  if (!steady && head.components == 1 && facts.rising(head.q)) return make_candidate_head(head.d_v, strict, precision);
  return make_class_head(head.d_v, strict, common, clock_of(head, facts, common), precision);
}

}  // namespace

struct StreamExecutor::State {
  ReferencePlan plan;
  bool single = false;
  std::vector<std::vector<std::unique_ptr<StreamHead>>> heads;
  std::vector<std::vector<std::string>> names;
  std::vector<std::vector<HeadSizes>> sizes;  ///< by layer and head: of the word so far
  std::size_t i = 0;
  std::vector<double> h, mixed, hidden;
  StreamToken token;
  std::vector<Plane> out;

  double c(double x) const { return single ? static_cast<double>(static_cast<float>(x)) : x; }

  double sum(const SparseMatrix::Entry* entry, const SparseMatrix::Entry* last, const std::vector<double>& x) const {
    double total = 0;
    for (; entry != last; ++entry) total = c(total + c(entry->value * x[entry->column]));
    return total;
  }
  double dot(const FlatRows& matrix, const FlatRows::Row& row, const std::vector<double>& x) const {
    return sum(matrix.entries.data() + row.first, matrix.entries.data() + row.last, x);
  }

  void embed(Symbol symbol) {
    h.assign(plan.width, 0.0);
    for (const auto& [column, value] : plan.embedding[symbol < 0 ? plan.symbols : static_cast<std::size_t>(symbol)])
      h[column] = value;
    for (const model::PositionEncoding& pe : plan.position_encodings)
      h[pe.coordinate] = c(h[pe.coordinate] + c(model::position_value(pe.formula, i, i)));
  }

  void project(const HeadPlan& head) {
    token.q.assign(head.components, 0.0);
    token.k.assign(head.components, 0.0);
    token.v.assign(head.d_v, Plane(1, 0.0));
    out.assign(head.d_v, Plane(1, 0.0));
    for (const FlatRows::Row& row : head.q.rows) token.q[row.index] = dot(head.q, row, h);
    for (const FlatRows::Row& row : head.k.rows) token.k[row.index] = dot(head.k, row, h);
    for (const FlatRows::Row& row : head.v.rows) token.v[row.index][0] = dot(head.v, row, h);
    token.scale = head.score_scale * model::inverse_temperature(head.temperature, i, i);
  }

  /// What is beyond the range takes the whole word, by definition; a stream has not kept it.
  void check_range(std::size_t l, std::size_t head) {
    const HeadPlan& plan_of_head = plan.layers[l].heads[head];
    HeadSizes& known = sizes[l][head];
    const auto raise = [](double& size, double x) { size = std::max(size, greatest_size(&x, 1)); };
    for (std::size_t c = 0; c < token.q.size(); ++c) {
      raise(known.q[c], token.q[c]);
      raise(known.k[c], token.k[c]);
    }
    for (const Plane& value : token.v) raise(known.v, value[0]);
    if (!(single ? far_from_the_end<float> : far_from_the_end<double>)(plan_of_head, i, known))
      throw UserError(
          fmt::format("this model cannot be streamed: numbers of head '{}' come near the end of the range of {}; "
                      "run it without --stream",
                      names[l][head], single ? "f32" : "f64"));
  }
  void forget_sizes() {
    sizes.clear();
    for (const LayerPlan& layer : plan.layers) {
      sizes.emplace_back();
      for (const HeadPlan& head : layer.heads)
        sizes.back().push_back({std::vector<double>(head.components), std::vector<double>(head.components), 0});
    }
  }

  void attention(std::size_t l) {
    const LayerPlan& layer = plan.layers[l];
    mixed.assign(layer.mixed_width, 0.0);
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      project(layer.heads[head]);
      check_range(l, head);
      if (!heads[l][head]->step(token, out))
        throw UserError(
            fmt::format("this model cannot be streamed: at position {} head '{}' looks back at positions that are not "
                        "kept; run it without --stream",
                        i, names[l][head]));
      for (std::size_t x = 0; x < out.size(); ++x) mixed[layer.heads[head].mixed_offset + x] = c(out[x][0]);
    }
    for (const MixTarget& target : layer.targets) {
      double total = 0;
      for (const MixTarget::Part& part : target.parts)
        total =
            c(total + sum(layer.target_entries.data() + part.first, layer.target_entries.data() + part.last, mixed));
      h[target.coordinate] = c(h[target.coordinate] + total);
    }
  }

  void feed_forward(const LayerPlan& layer) {
    hidden.resize(layer.hidden_width);
    for (std::size_t unit = 0; unit < layer.hidden_width; ++unit) {
      const double x = c(dot(layer.w1, layer.w1.rows[unit], h) + layer.b1[unit]);
      hidden[unit] = x <= 0 ? 0 : x;
    }
    for (std::size_t row = 0; row < layer.w2.rows.size(); ++row) {
      double& target = h[layer.w2.rows[row].index];
      target = c(target + c(dot(layer.w2, layer.w2.rows[row], hidden) + layer.b2[row]));
    }
  }
};

StreamExecutor::StreamExecutor(const model::Transformer& transformer, const Options& options)
    : state_(std::make_unique<State>()) {
  require_streamable(transformer, options);
  state_->plan = make_reference_plan(transformer, options);
  state_->single = options.format == NumberFormat::f32;
  StaticFacts facts(state_->plan);
  for (std::size_t l = 0; l < state_->plan.layers.size(); ++l) {
    const LayerPlan& layer = state_->plan.layers[l];
    state_->heads.emplace_back();
    state_->names.emplace_back();
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      state_->heads.back().push_back(make_head(layer.heads[h], facts, state_->single ? 24 : 53));
      state_->names.back().push_back(printable(transformer.layers[l].heads[h].name));
    }
    facts.written_by(layer);
  }
  state_->forget_sizes();
}

StreamExecutor::~StreamExecutor() = default;

double StreamExecutor::push(Symbol symbol) {
  State& state = *state_;
  if (symbol != kUnmentioned && (symbol < 0 || static_cast<std::size_t>(symbol) >= state.plan.symbols))
    throw UserError("the word has a symbol outside the model's alphabet");
  ++state.i;
  state.embed(symbol);
  for (std::size_t l = 0; l < state.plan.layers.size(); ++l) {
    state.attention(l);
    state.feed_forward(state.plan.layers[l]);
  }
  return state.h[state.plan.output];
}

void StreamExecutor::reset() {
  state_->i = 0;
  state_->forget_sizes();
  for (auto& layer : state_->heads)
    for (auto& head : layer) head->clear();
}

std::string StreamExecutor::describe() const {
  std::string text;
  for (std::size_t l = 0; l < state_->heads.size(); ++l)
    for (std::size_t h = 0; h < state_->heads[l].size(); ++h)
      text += fmt::format("head {}.{} ({}): {}\n", l, h, state_->names[l][h],
                          state_->heads[l][h]->constant_state() ? "constant state" : "keeps every key");
  return text;
}

}  // namespace quench::run
