// quench compare.
#pragma once

#include "cli/arguments/options.h"

namespace quench::cli {

void add_compare(App& program);

}  // namespace quench::cli
