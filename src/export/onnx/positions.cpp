#include "export/onnx/positions.h"

#include "base/error.h"

namespace quench::exports {

namespace {
using Value = OnnxGraph::Value;
}

OnnxPositions::OnnxPositions(OnnxGraph& graph, const Value& input_ids) : graph_(graph) {
  n_ = graph.node("Gather", {graph.node("Shape", {input_ids}), graph.integer(1)});
  i_ = graph.node("Range", {graph.integer(1), graph.node("Add", {n_, graph.integer(1)}), graph.integer(1)});
}

const Value& OnnxPositions::real_n() {
  if (real_n_.empty()) real_n_ = graph_.cast(n_, OnnxType::f64);
  return real_n_;
}

const Value& OnnxPositions::real_i() {
  if (real_i_.empty()) real_i_ = graph_.cast(i_, OnnxType::f64);
  return real_i_;
}

const Value& OnnxPositions::remaining() {
  if (remaining_.empty())
    remaining_ = graph_.node("Add", {graph_.node("Sub", {real_n(), real_i()}), graph_.double_number(1)});
  return remaining_;
}

/// The least power of two that is not below n; those below are replaced by the greatest.
const Value& OnnxPositions::power() {
  if (!power_.empty()) return power_;
  std::vector<std::int64_t> powers;
  for (int exponent = 0; exponent < 63; ++exponent) powers.push_back(std::int64_t{1} << exponent);
  const Value all = graph_.integers(powers);
  const Value reach = graph_.node("GreaterOrEqual", {all, n_});
  const Value candidates = graph_.node("Where", {reach, all, graph_.integer(powers.back())});
  power_ = graph_.node("ReduceMin", {candidates}, {{"axes", {0}}, {"keepdims", {0}}});
  return power_;
}

Value OnnxPositions::over_power(const Value& integers, double factor) {
  const Value product = graph_.node("Mul", {graph_.cast(integers, OnnxType::f64), graph_.double_number(factor)});
  return graph_.node("Div", {product, graph_.cast(power(), OnnxType::f64)});
}

Value OnnxPositions::encoding(const PositionFormula& formula) {
  const auto with = [&](const char* op, const Value& a, const Value& b) { return graph_.node(op, {a, b}); };
  const auto number = [&](std::int64_t value) { return graph_.integer(value); };
  const auto everywhere = [&](const Value& scalar) {
    return with("Add", with("Mul", real_i(), graph_.double_number(0)), scalar);
  };
  const auto sign = [&] { return with("Sub", number(1), with("Mul", number(2), with("Mod", i_, number(2)))); };
  const auto digit_0 = [&] { return with("Mod", i_, number(256)); };
  const auto digit_1 = [&] { return with("Mod", with("Div", i_, number(256)), number(256)); };
  const auto digit_2 = [&] { return with("Div", i_, number(65536)); };
  const auto real = [&](const Value& integers) { return graph_.cast(integers, OnnxType::f64); };
  switch (formula.kind) {
    case PositionKind::index:
      return real_i();
    case PositionKind::index_sq:
      return with("Mul", real_i(), real_i());
    case PositionKind::length:
      return everywhere(real_n());
    case PositionKind::index_length:
      return with("Mul", real_i(), real_n());
    case PositionKind::index_sq_length:
      return with("Mul", with("Mul", real_i(), real_i()), real_n());
    case PositionKind::index_over_length:
      return with("Div", real_i(), real_n());
    case PositionKind::index_over_length_sq: {
      const Value ratio = with("Div", real_i(), real_n());
      return with("Mul", ratio, ratio);
    }
    case PositionKind::inverse_index:
      return with("Div", graph_.double_number(1), real_i());
    case PositionKind::inverse_remaining:
      return with("Div", graph_.double_number(1), remaining());
    case PositionKind::alternating:
      return real(sign());
    case PositionKind::index_over_power:
      return over_power(i_, 1);
    case PositionKind::inverse_length:
      return everywhere(with("Div", graph_.double_number(1), real_n()));
    case PositionKind::log_index:
      return graph_.node("Log", {real_i()});
    case PositionKind::log_remaining:
      return graph_.node("Log", {remaining()});
    case PositionKind::index_alternating:
      return real(with("Mul", i_, sign()));
    case PositionKind::digit_0:
      return real(digit_0());
    case PositionKind::digit_1:
      return real(digit_1());
    case PositionKind::digit_2:
      return real(with("Mul", digit_2(), number(256)));
    case PositionKind::digit_0_over_power:
      return over_power(digit_0(), 1);
    case PositionKind::digit_1_over_power:
      return over_power(digit_1(), 256);
    case PositionKind::digit_2_over_power:
      return over_power(digit_2(), 65536);
    case PositionKind::table:
      return with("Gather", graph_.doubles(formula.table), with("Sub", i_, number(1)));
    case PositionKind::predicate:
      QUENCH_ASSERT(formula.predicate);
      return real(predicate_node(graph_, *formula.predicate, i_, n_));
    case PositionKind::predicate_at_zero:
      QUENCH_ASSERT(formula.predicate);
      return real(predicate_node(graph_, *formula.predicate, with("Mul", i_, number(0)), n_));
  }
  throw InternalError("position formula of unknown kind");
}

Value OnnxPositions::inverse_temperature(Temperature temperature) {
  const auto with = [&](const char* op, const Value& a, const Value& b) { return graph_.node(op, {a, b}); };
  const auto log = [&] { return graph_.node("Log", {with("Add", real_n(), graph_.double_number(1))}); };
  const auto own = [&](const Value& value) { return graph_.cast(value, graph_.real()); };
  const auto column = [&](const Value& row) { return graph_.node("Unsqueeze", {own(row), graph_.integers({1})}); };
  switch (temperature) {
    case Temperature::one:
      return graph_.real_number(1);
    case Temperature::inverse_n:
      return own(n_);
    case Temperature::inverse_i:
      return column(i_);
    case Temperature::inverse_i_sq:
      return column(with("Mul", real_i(), real_i()));
    case Temperature::inverse_power:
      return own(power());
    case Temperature::inverse_log:
      return own(log());
    case Temperature::inverse_n_log:
      return own(with("Mul", real_n(), log()));
    case Temperature::inverse_n_sq_log:
      return own(with("Mul", with("Mul", real_n(), real_n()), log()));
    case Temperature::inverse_n_cubed_log:
      return own(with("Mul", with("Mul", with("Mul", real_n(), real_n()), real_n()), log()));
  }
  throw InternalError("temperature of unknown kind");
}

const Value& OnnxPositions::visible(Mask mask) {
  Value& value = visible_[mask];
  if (!value.empty()) return value;
  const Value query = graph_.node("Unsqueeze", {i_, graph_.integers({1})});
  const auto key_is = [&](const char* comparison) { return graph_.node(comparison, {i_, query}); };
  switch (mask) {
    case Mask::none:
      break;
    case Mask::future:
      return value = key_is("LessOrEqual");
    case Mask::past:
      return value = key_is("GreaterOrEqual");
    case Mask::strict_future:
      return value = key_is("Less");
    case Mask::strict_past:
      return value = key_is("Greater");
  }
  throw InternalError("a mask that hides nothing");
}

const Value& OnnxPositions::visible_weight(Mask mask) {
  Value& value = visible_weight_[mask];
  if (value.empty()) value = graph_.cast(visible(mask), graph_.real());
  return value;
}

}  // namespace quench::exports
