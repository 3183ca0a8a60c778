#include "opt/reads.h"

namespace quench::opt {

using namespace ir;

std::vector<Read> reads(const Graph& graph, const Schedule& schedule) {
  std::vector<Read> result;
  const auto read = [&](const Affine& affine, int sublayer) {
    result.push_back({stored_form(graph, affine), sublayer});
  };
  for (std::size_t l = 1; l <= schedule.layers.size(); ++l) {
    const ScheduledLayer& layer = schedule.layers[l - 1];
    const int feed_forward = static_cast<int>(2 * l), attention = feed_forward - 1;
    for (const ScheduledHead& head : layer.heads) {
      for (const Head::Product& product : graph[head.head].score) {
        read(product.query, attention);
        read(product.key, attention);
      }
      for (const ScheduledHead::Value& value : head.values) read(value.of(graph).value, attention);
    }
    const auto read_arguments = [&](const Piecewise& piecewise) {
      for (const Piecewise::Unit& unit : piecewise.units) read(unit.x, feed_forward);
      read(piecewise.rest, feed_forward);
    };
    for (const ScheduledFunction& function : layer.functions)
      if (const auto* piecewise = std::get_if<Piecewise>(&graph[function.node])) read_arguments(*piecewise);
    for (const ScheduledFunction& function : layer.functions)
      for (const Cube& cube : function.cubes)
        for (const Literal literal : cube) {
          if (!read_raw(graph, schedule, literal.node, static_cast<int>(l)))
            read(Affine(literal.node), feed_forward);
          else if (const auto* threshold = std::get_if<Threshold>(&graph[literal.node]))
            read(threshold->x, feed_forward);
          else if (const auto* piecewise = std::get_if<Piecewise>(&graph[literal.node]))
            read_arguments(*piecewise);
          else
            read(std::get<IsZero>(graph[literal.node]).x, feed_forward);
        }
  }
  for_each_output(graph, [&](Literal output) { result.push_back({Affine(output.node), kAtTheEnd}); });
  return result;
}

}  // namespace quench::opt
