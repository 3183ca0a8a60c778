// One function per experiment, each in the file of its name under lab/experiments/.
#pragma once

#include "lab/experiment.h"

namespace quench::lab {

Experiment gap_temperature();
Experiment wrong_temperature();
Experiment rounding_cost();
Experiment soft_vs_hard();
Experiment stability();
Experiment figure_1();
Experiment bounded_precision_pe();
Experiment pe_ablation();
Experiment hahn();
Experiment beyond_ltl();
Experiment sequence_modelling();
Experiment entropy();
Experiment cost_fidelity();
Experiment learned_vs_compiled();
Experiment peers();
Experiment regular_atlas();
Experiment precision_depth();
Experiment exact_vs_tight_vs_paper();

}  // namespace quench::lab
