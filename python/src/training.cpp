#include <quench/train.h>

#include "value.h"
#include "watched.h"

namespace quench::python {
namespace {

/// The options by their names; python/quench/training.py has their types and defaults, and says which one was wrong.
TrainOptions options_of(const nb::dict& named) {
  TrainOptions options;
  const auto take = [&](const char* name, auto& value) {
    if (!nb::try_cast(nb::object(named[name]), value)) throw nb::type_error("incompatible function arguments");
  };
  take("layers", options.layers);
  take("heads", options.heads);
  take("width", options.width);
  take("hidden", options.hidden);
  take("positions", options.positions);
  take("mask", options.mask);
  take("length", options.length);
  take("batch", options.batch);
  take("unmentioned", options.unmentioned);
  take("last_only", options.last_only);
  take("steps", options.steps);
  take("seed", options.seed);
  take("rate", options.rate);
  take("clip", options.clip);
  take("tau_from", options.tau_from);
  take("tau_to", options.tau_to);
  take("entropy", options.entropy);
  return options;
}

Trained trained(const Rule& rule, const nb::dict& named, const nb::object& progress) {
  TrainOptions options = options_of(named);
  return watched(progress, [&](Watch& watch) {
    options.progress = [&](const TrainProgress& step) { watch.report(step.step, options.steps); };
    return train(rule, options);
  });
}

}  // namespace

void bind_training(nb::module_& module) {
  Value<Accuracy>(module, "Accuracy", "How often a model says what the rule says.")
      .field("words", &Accuracy::words, "So many were tried.")
      .field("of_words", &Accuracy::of_words, "The share that is right at the last position.")
      .field("of_positions", &Accuracy::of_positions, "The share of all positions.")
      .shown();
  nb::class_<Trained>(module, "Trained")
      .def_ro("model", &Trained::model)
      .def_prop_ro("loss", [](const Trained& trained) { return trained.last.loss; })
      .def_prop_ro("steps", [](const Trained& trained) { return trained.last.step; })
      .def_ro("held_out", &Trained::held_out)
      .def_ro("parameters", &Trained::parameters);
  module.def("train", &trained, nb::arg("rule"), nb::arg("options"), nb::arg("progress").none(),
             nb::sig("def train(rule: Rule, options: dict[str, object], progress: object | None) -> Trained"));
  module.def(
      "accuracy",
      [](const Rule& rule, const Model& model, std::size_t length, std::size_t words, std::uint64_t seed) {
        return watched(nb::none(), [&](Watch& watch) {
          return accuracy(rule, model, length, words, seed,
                          [&](std::uint64_t done, std::uint64_t total) { watch.report(done, total); });
        });
      },
      nb::arg("rule"), nb::arg("model"), nb::arg("length"), nb::arg("words"), nb::arg("seed"));
}

}  // namespace quench::python
