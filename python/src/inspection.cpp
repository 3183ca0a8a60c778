#include <quench/inspect.h>

#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "answers.h"
#include "arrays.h"
#include "bindings.h"
#include "names.h"

namespace quench::python {
namespace {

using Heads = std::vector<std::pair<std::size_t, std::size_t>>;
using Patches = std::vector<std::tuple<std::string, std::size_t, double>>;

TraceOptions options_of(const std::string& format, bool hard, const Heads& ablated, const Patches& patches,
                        bool attention) {
  TraceOptions options{.format = format_named(format), .hard = hard};
  for (const auto& [layer, head] : ablated) options.ablated.push_back({layer, head});
  for (const auto& [tenant, position, value] : patches) options.patches.push_back({tenant, position, value});
  if (!attention) options.attention.emplace();
  return options;
}

nb::tuple traced(const Model& model, const std::string& word, const std::string& format, bool hard,
                 const Heads& ablated, const Patches& patches, bool attention) {
  Trace found = [&] {
    nb::gil_scoped_release release;
    return trace(model, word, options_of(format, hard, ablated, patches, attention));
  }();
  nb::list heads, values;
  for (TracedHead& head : found.heads) {
    const std::size_t rows = head.weights.rows, cols = head.weights.cols;
    heads.append(nb::make_tuple(head.head.layer, head.head.head,
                                array_of<double>(std::move(head.weights.data), {rows, cols}),
                                array_of<double>(std::move(head.entropy), {rows})));
  }
  for (TracedValues& one : found.values) {
    const std::size_t count = one.values.size();
    values.append(nb::make_tuple(one.tenant, one.sublayer, array_of<double>(std::move(one.values), {count})));
  }
  return nb::make_tuple(found.symbols, to_python(found.answer), heads, values);
}

}  // namespace

void bind_inspection(nb::module_& module) {
  module.def(
      "trace", &traced, nb::arg("model"), nb::arg("word"), nb::arg("format"), nb::arg("hard"), nb::arg("ablated"),
      nb::arg("patches"), nb::arg("attention"),
      nb::sig("def trace(model: Model, word: str, format: str, hard: bool, ablated: list[tuple[int, int]], patches: "
              "list[tuple[str, int, float]], attention: bool) -> tuple[list[str], tuple[str, object, list[str]], "
              "list[tuple[int, int, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]], "
              "list[tuple[int, int, numpy.typing.NDArray[numpy.float64]]]]"));
  module.def("warmed", &warmed, nb::arg("model"), nb::arg("factor"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace quench::python
