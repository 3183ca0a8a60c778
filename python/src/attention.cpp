#include <quench/attention.h>

#include "arrays.h"
#include "bindings.h"
#include "names.h"

namespace quench::python {
namespace {

template <class T>
MatrixView<T> view(const Rows<T>& rows) {
  return {rows.data(), rows.shape(0), rows.shape(1)};
}

template <class T>
nb::object array(Matrix<T> matrix) {
  return array_of<T>(std::move(matrix.data), {matrix.rows, matrix.cols});
}

AttentionOptions options_of(const std::string& mask, const std::string& weighting, double temperature, bool scaled,
                            std::optional<double> parameter, std::uint64_t seed) {
  return {mask_named(mask), weighting_named(weighting), temperature, scaled, parameter, seed};
}

/// work(), without the interpreter.
template <class Work>
auto unlocked(Work work) {
  nb::gil_scoped_release release;
  return work();
}

template <class T>
nb::object attended(const Rows<T>& queries, const Rows<T>& keys, const Rows<T>& values,
                    const AttentionOptions& options) {
  return array(unlocked([&] { return attend(view(queries), view(keys), view(values), options); }));
}

nb::tuple gradients(const Rows<double>& queries, const Rows<double>& keys, const Rows<double>& values,
                    const Rows<double>& d_result, const AttentionOptions& options) {
  AttentionGradients found =
      unlocked([&] { return attend_backward(view(queries), view(keys), view(values), view(d_result), options); });
  return nb::make_tuple(array(std::move(found.queries)), array(std::move(found.keys)), array(std::move(found.values)));
}

}  // namespace

void bind_attention(nb::module_& module) {
  nb::class_<AttentionOptions>(module, "AttentionOptions")
      .def(
          "__init__",
          [](AttentionOptions* self, const std::string& mask, const std::string& weighting, double temperature,
             bool scaled, std::optional<double> parameter, std::uint64_t seed) {
            new (self) AttentionOptions(options_of(mask, weighting, temperature, scaled, parameter, seed));
          },
          nb::arg("mask"), nb::arg("weighting"), nb::arg("temperature"), nb::arg("scaled"), nb::arg("parameter").none(),
          nb::arg("seed"));
  module.def("attend_f64", &attended<double>, nb::arg("queries"), nb::arg("keys"), nb::arg("values"),
             nb::arg("options"),
             nb::sig("def attend_f64(queries: numpy.typing.NDArray[numpy.float64], keys: "
                     "numpy.typing.NDArray[numpy.float64], values: numpy.typing.NDArray[numpy.float64], "
                     "options: AttentionOptions) -> numpy.typing.NDArray[numpy.float64]"));
  module.def("attend_f32", &attended<float>, nb::arg("queries"), nb::arg("keys"), nb::arg("values"), nb::arg("options"),
             nb::sig("def attend_f32(queries: numpy.typing.NDArray[numpy.float32], keys: "
                     "numpy.typing.NDArray[numpy.float32], values: numpy.typing.NDArray[numpy.float32], "
                     "options: AttentionOptions) -> numpy.typing.NDArray[numpy.float32]"));
  module.def("attend_backward", &gradients, nb::arg("queries"), nb::arg("keys"), nb::arg("values"), nb::arg("d_result"),
             nb::arg("options"),
             nb::sig("def attend_backward(queries: numpy.typing.NDArray[numpy.float64], keys: "
                     "numpy.typing.NDArray[numpy.float64], values: "
                     "numpy.typing.NDArray[numpy.float64], d_result: numpy.typing.NDArray[numpy.float64], options: "
                     "AttentionOptions) -> "
                     "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64]]"));
  module.def(
      "attention_weights",
      [](const Rows<double>& queries, const Rows<double>& keys, const AttentionOptions& options) {
        return array(unlocked([&] { return attention_weights(view(queries), view(keys), options); }));
      },
      nb::arg("queries"), nb::arg("keys"), nb::arg("options"),
      nb::sig("def attention_weights(queries: numpy.typing.NDArray[numpy.float64], keys: "
              "numpy.typing.NDArray[numpy.float64], options: "
              "AttentionOptions) -> numpy.typing.NDArray[numpy.float64]"));
  module.def(
      "head_attention",
      [](const Model& model, const std::string& word, std::size_t layer, std::size_t head, const std::string& format,
         bool hard) {
        return array(unlocked([&] { return head_attention(model, word, layer, head, format_named(format), hard); }));
      },
      nb::arg("model"), nb::arg("word"), nb::arg("layer"), nb::arg("head"), nb::arg("format"), nb::arg("hard"),
      nb::sig("def head_attention(model: Model, word: str, layer: int, head: int, format: str, hard: bool) -> "
              "numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace quench::python
