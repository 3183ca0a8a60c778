// quench bench zoo.
#pragma once

#include <CLI/CLI.hpp>

namespace quench::cli {

void add_bench_zoo(CLI::App& bench);

}  // namespace quench::cli
