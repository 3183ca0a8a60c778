#include "export/onnx/network.h"

#include <fmt/format.h>
#include <numeric>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "export/onnx/positions.h"
#include "export/readout.h"
#include "export/tensors.h"

namespace quench::exports {

namespace {

using Value = OnnxGraph::Value;

class Network {
 public:
  Network(const model::Transformer& model, model::TensorType type)
      : model_(model), tensors_(tensors_of(model)), graph_(type), positions_(make_positions()) {}

  std::string file() {
    Value h = embed();
    for (std::size_t l = 0; l < model_.layers.size(); ++l) h = feed_forward(l, attend(l, h));
    read_answers(h);
    return graph_.file(model_.source, {{"symbols", nlohmann::json(model_.alphabet.symbols()).dump()},
                                       {"output", std::string(name_of(model_.output.kind))},
                                       {"cases", nlohmann::json(case_names(model_)).dump()},
                                       {"source", model_.source},
                                       {"recipe", model_.recipe}});
  }

 private:
  OnnxPositions make_positions() {
    graph_.input("input_ids", OnnxType::i64, {"batch", "n"});
    return {graph_, "input_ids"};
  }
  Value with(const char* op, const Value& a, const Value& b) { return graph_.node(op, {a, b}); }
  Value times(const Value& x, const std::string& name, const Matrix& matrix) {
    return with("MatMul", x, graph_.weights(name, transposed(matrix)));
  }

  /// The encodings stand side by side as columns, and a matrix of zeros and ones brings each to its coordinate.
  Value embed() {
    Value h = graph_.node("Gather", {graph_.weights("embedding", tensors_.embedding), "input_ids"});
    if (model_.position_encodings.empty()) return h;
    std::vector<Value> columns;
    Matrix place(model_.position_encodings.size(), model_.width);
    for (const model::PositionEncoding& encoding : model_.position_encodings) {
      place(columns.size(), encoding.coordinate) = 1;
      columns.push_back(graph_.node("Unsqueeze", {positions_.encoding(encoding.formula), graph_.integers({1})}));
    }
    const Value table = graph_.cast(graph_.node("Concat", columns, {{"axis", {1}}}), graph_.real());
    return with("Add", h, with("MatMul", table, graph_.weights("positions", place)));
  }

  /// Far below every score, yet finite: a row that shows no key must not become a difference of infinities.
  Value lowest() { return graph_.real_number(graph_.real() == OnnxType::f64 ? -1e300 : -1e37); }

  /// e_ij of the visible keys, 0 for the others: a row without keys is all zeros.
  Value weigh(const model::Head& head, const Value& scores) {
    const bool masked = head.mask != Mask::none;
    const Value seen = masked ? graph_.node("Where", {positions_.visible(head.mask), scores, lowest()}) : scores;
    const auto greatest = [&] { return graph_.node("ReduceMax", {seen}, {{"axes", {-1}}, {"keepdims", {1}}}); };
    const auto chosen = [&](std::int64_t last) {
      const Value best =
          graph_.node("ArgMax", {seen}, {{"axis", {-1}}, {"keepdims", {1}}, {"select_last_index", {last}}});
      return graph_.cast(with("Equal", best, with("Sub", positions_.i(), graph_.integer(1))), graph_.real());
    };
    Value e;
    switch (head.weighting) {
      case Weighting::soft:
        e = graph_.node("Exp", {with("Sub", seen, greatest())});
        break;
      case Weighting::lhardmax:
        e = chosen(0);
        break;
      case Weighting::rhardmax:
        e = chosen(1);
        break;
      case Weighting::ahardmax:
        e = graph_.cast(with("Equal", seen, greatest()), graph_.real());
        break;
    }
    return masked ? with("Mul", e, positions_.visible_weight(head.mask)) : e;
  }

  /// Σ_j e_ij v_j / Σ_j e_ij, normalised last, and 0 where Σ e = 0.
  Value mean(const model::Head& head, const Value& e, const Value& v) {
    Value total = graph_.node("ReduceSum", {e, graph_.integers({-1})}, {{"keepdims", {1}}});
    if (head.mask == Mask::strict_future || head.mask == Mask::strict_past)
      total = graph_.node("Where", {with("Equal", total, graph_.real_number(0)), graph_.real_number(1), total});
    return with("Div", with("MatMul", e, v), total);
  }

  Value head_output(const model::Head& head, const HeadTensors& weights, const std::string& name, const Value& h) {
    const Value q = times(h, name + "q", weights.q), k = times(h, name + "k", weights.k);
    Value scores = with("MatMul", q, graph_.node("Transpose", {k}, {{"perm", {0, 2, 1}}}));
    if (weights.scale != 1) scores = with("Mul", scores, graph_.real_number(weights.scale));
    if (head.temperature != Temperature::one)
      scores = with("Mul", scores, positions_.inverse_temperature(head.temperature));
    const Value retrieved = mean(head, weigh(head, scores), times(h, name + "v", weights.v));
    return times(retrieved, name + "o", weights.o);
  }

  Value attend(std::size_t l, const Value& h) {
    Value sum;
    for (std::size_t index = 0; index < model_.layers[l].heads.size(); ++index) {
      const std::string name = fmt::format("layers.{}.heads.{}.", l, index);
      const Value part = head_output(model_.layers[l].heads[index], tensors_.layers[l].heads[index], name, h);
      sum = sum.empty() ? part : with("Add", sum, part);
    }
    return sum.empty() ? h : with("Add", h, sum);
  }

  Value feed_forward(std::size_t l, const Value& h) {
    const LayerTensors& layer = tensors_.layers[l];
    const std::string name = fmt::format("layers.{}.ffn.", l);
    const Value b2 = graph_.weights(name + "b2", layer.b2);
    if (layer.b1.empty()) return with("Add", h, b2);
    const Value before = with("Add", times(h, name + "w1", layer.w1), graph_.weights(name + "b1", layer.b1));
    const Value update = times(graph_.node("Relu", {before}), name + "w2", layer.w2);
    return with("Add", h, with("Add", update, b2));
  }

  /// To the nearest integer, halves away from zero. `Round` would take them to even.
  Value rounded(const Value& x) {
    const Value magnitude = with("Add", graph_.node("Abs", {x}), graph_.double_number(0.5));
    return graph_.cast(with("Mul", graph_.node("Sign", {x}), graph_.node("Floor", {magnitude})), OnnxType::i64);
  }

  Value answers(const Value& values) {
    const auto without_cases = [&](const Value& value) {
      return graph_.node("Squeeze", {value, graph_.integers({2})});
    };
    const auto truth = [&] { return with("GreaterOrEqual", values, graph_.real_number(0.5)); };
    switch (model_.output.kind) {
      case model::OutputKind::boolean:
        return without_cases(graph_.cast(truth(), OnnxType::i64));
      case model::OutputKind::integer:
        return without_cases(rounded(with("Mul", graph_.cast(values, OnnxType::f64), positions_.real_n())));
      case model::OutputKind::whole:
        return without_cases(rounded(graph_.cast(values, OnnxType::f64)));
      case model::OutputKind::string: {
        const Value ones = graph_.cast(truth(), graph_.real());
        const Value first = graph_.node("ArgMax", {ones}, {{"axis", {2}}, {"keepdims", {0}}});
        const Value any = graph_.node("ReduceMax", {ones}, {{"axes", {2}}, {"keepdims", {0}}});
        return graph_.node("Where", {graph_.cast(any, OnnxType::boolean), first, graph_.integer(-1)});
      }
      case model::OutputKind::ratios: {
        const Value exact = graph_.cast(values, OnnxType::f64);
        const Value below = graph_.node("Gather", {exact, graph_.integers({-1})}, {{"axis", {2}}});
        std::vector<std::int64_t> cases(model_.output.cases.size());
        std::iota(cases.begin(), cases.end(), 0);
        const Value above = graph_.node("Gather", {exact, graph_.integers(cases)}, {{"axis", {2}}});
        return rounded(with("Mul", with("Div", above, below), graph_.double_number(1e6)));
      }
      case model::OutputKind::scores:
        return rounded(with("Mul", graph_.cast(values, OnnxType::f64), graph_.double_number(1e6)));
    }
    throw InternalError("output of unknown kind");
  }

  void read_answers(const Value& h) {
    std::vector<std::int64_t> coordinates;
    for (const model::Output::Case& one : model_.output.cases) coordinates.push_back(one.coordinate);
    if (!has_cases(model_.output.kind)) coordinates = {model_.output.coordinate};
    const std::string cases = std::to_string(coordinates.size());
    const bool ratios = model_.output.kind == model::OutputKind::ratios;
    if (ratios) coordinates.push_back(model_.output.coordinate);  // the denominator comes last
    const Value values = graph_.node("Gather", {h, graph_.integers(coordinates)}, {{"axis", {2}}});
    graph_.output("values", values, graph_.real(), {"batch", "n", std::to_string(coordinates.size())});
    std::vector<std::string> shape{"batch", "n"};
    if (model_.output.kind == model::OutputKind::scores || ratios) shape.push_back(cases);
    graph_.output("answers", answers(values), OnnxType::i64, shape);
  }

  const model::Transformer& model_;
  Tensors tensors_;
  OnnxGraph graph_;
  OnnxPositions positions_;
};

}  // namespace

std::string onnx(const model::Transformer& model, model::TensorType type) { return Network(model, type).file(); }

}  // namespace quench::exports
