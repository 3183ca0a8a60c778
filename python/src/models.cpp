#include <quench/compile.h>
#include <quench/model.h>
#include <quench/soften.h>

#include "bindings.h"
#include "names.h"
#include "value.h"
#include "watched.h"

namespace quench::python {
namespace {

CompileOptions options_of(const std::string& recipe, bool decoder, const std::string& sharpen,
                          std::optional<double> gamma, bool digits, bool certify, std::optional<std::uint64_t> length,
                          bool unshared) {
  CompileOptions options{.recipe = recipe,
                         .decoder = decoder,
                         .gamma = gamma,
                         .digits = digits,
                         .certify = certify,
                         .length = length,
                         .unshared = unshared};
  if (sharpen == "temperature")
    options.sharpen = Sharpen::temperature;
  else if (sharpen == "position")
    options.sharpen = Sharpen::position;
  else if (!sharpen.empty())
    throw UserError("heads are sharpened by temperature or by position");
  return options;
}

}  // namespace

void bind_models(nb::module_& module) {
  Value<ModelSummary>(module, "Summary", "A model in numbers.")
      .field("logic", &ModelSummary::logic, "Such as TL[⊖, since].")
      .field("recipe", &ModelSummary::recipe, "By which it was compiled.")
      .field("kind", &ModelSummary::kind, "τ-SMAT, SMAT, UHAT, AHAT or mixed.")
      .field("layers", &ModelSummary::layers, "How many layers.")
      .field("heads", &ModelSummary::heads, "Of all layers.")
      .field("width", &ModelSummary::width, "Of the residual stream.")
      .field("hidden_units", &ModelSummary::hidden_units, "Of all layers.")
      .field("parameters", &ModelSummary::parameters, "The same for words of every length.")
      .field("nonzero_parameters", &ModelSummary::nonzero_parameters, "Those that are not 0.")
      .field("temperatures", &ModelSummary::temperatures, "Of the heads.")
      .field("masks", &ModelSummary::masks, "Of the heads.")
      .field("position_encodings", &ModelSummary::position_encodings, "As formulas.")
      .shown();
  nb::class_<Model>(module, "Model")
      .def("summary", &Model::summary)
      .def("source", &Model::source)
      .def("symbols", &Model::symbols)
      .def("answers", [](const Model& model) { return std::string(name_of(model.answers())); })
      .def("has_certificate", &Model::has_certificate)
      .def("fingerprint", &Model::fingerprint);
  module.def(
      "compile",
      [](const Rule& rule, const std::string& recipe, bool decoder, const std::string& sharpen,
         std::optional<double> gamma, bool digits, bool certify, std::optional<std::uint64_t> length, bool unshared) {
        nb::gil_scoped_release release;
        return compile(rule, options_of(recipe, decoder, sharpen, gamma, digits, certify, length, unshared));
      },
      nb::arg("rule"), nb::arg("recipe"), nb::arg("decoder"), nb::arg("sharpen"), nb::arg("gamma").none(),
      nb::arg("digits"), nb::arg("certify"), nb::arg("length").none(), nb::arg("unshared"));
  module.def(
      "compile_for_length",
      [](const Rule& rule, std::uint64_t length, const std::string& format, const std::string& recipe, bool decoder,
         const std::string& sharpen, bool digits) {
        nb::gil_scoped_release release;
        return compile_for_length(rule, length, format_named(format),
                                  options_of(recipe, decoder, sharpen, {}, digits, true, {}, false));
      },
      nb::arg("rule"), nb::arg("length"), nb::arg("format"), nb::arg("recipe"), nb::arg("decoder"), nb::arg("sharpen"),
      nb::arg("digits"));
  module.def("recipes", [] {
    std::vector<std::string> names;
    for (const RecipeName& recipe : recipes()) names.push_back(recipe.name);
    return names;
  });
  module.def("load", &load, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def load(path: str) -> Model"));
  module.def(
      "load_bytes",
      [](const nb::bytes& content, const std::string& name) {
        const std::string_view view(content.c_str(), content.size());
        nb::gil_scoped_release release;
        return load_bytes(view, name);
      },
      nb::arg("content"), nb::arg("name"));
  module.def(
      "save_bytes",
      [](const Model& model) {
        const std::string content = [&] {
          nb::gil_scoped_release release;
          return save_bytes(model);
        }();
        return nb::bytes(content.data(), content.size());
      },
      nb::arg("model"));
  module.def("save", &save, nb::arg("model"), nb::arg("path"), nb::arg("even_if_large"),
             nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def save(model: Model, path: str, even_if_large: bool) -> None"));
  module.def(
      "soften",
      [](const Model& model, const std::string& gap, std::optional<std::size_t> length, bool constants_of_paper) {
        return watched(nb::none(), [&](Watch& watch) {
          return soften(model, {gap, length, constants_of_paper, [&] { watch.report(0, 0); }});
        });
      },
      nb::arg("model"), nb::arg("gap"), nb::arg("length").none(), nb::arg("constants_of_paper"));
  nb::class_<Softened>(module, "Softened")
      .def_ro("model", &Softened::model)
      .def_ro("length", &Softened::length)
      .def_ro("gap", &Softened::gap)
      .def_ro("report", &Softened::report)
      .def_ro("report_json", &Softened::report_json);
}

}  // namespace quench::python
