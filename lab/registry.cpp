// The list of experiments. Adding one: a file in lab/experiments/, its function in catalogue.h, a line here.
#include "base/text/suggest.h"
#include "lab/catalogue.h"
#include "lab/experiment.h"

namespace quench::lab {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::refuted:
      return "refuted";
    case Verdict::measured:
      break;
  }
  return "measured";
}

const std::vector<Experiment>& experiments() {
  // clang-format off
  static const std::vector<Experiment> all = {
      gap_temperature(),
      wrong_temperature(),
      rounding_cost(),
      soft_vs_hard(),
      stability(),
      figure_1(),
      bounded_precision_pe(),
      pe_ablation(),
      hahn(),
      beyond_ltl(),
      sequence_modelling(),
      entropy(),
      cost_fidelity(),
      learned_vs_compiled(),
      peers(),
      regular_atlas(),
      precision_depth(),
      exact_vs_tight_vs_paper(),
  };
  // clang-format on
  return all;
}

const Experiment* find_experiment(std::string_view name) {
  for (const Experiment& experiment : experiments())
    if (experiment.name == name) return &experiment;
  return nullptr;
}

std::string nearest_experiment(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Experiment& experiment : experiments()) names.push_back(experiment.name);
  return nearest(name, names);
}

}  // namespace quench::lab
