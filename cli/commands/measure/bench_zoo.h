// quench bench zoo.
#pragma once

#include "cli/arguments/options.h"

namespace quench::cli {

void add_bench_zoo(App& bench);

}  // namespace quench::cli
