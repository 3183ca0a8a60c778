// --dtype, --engine, --weighting: how a model is run.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "run/executor.h"

namespace quench::cli {

class RunArguments {
 public:
  void add_to(CLI::App& command);
  run::Options options() const;
  run::Engine engine() const;

 private:
  std::string dtype_ = "f64", engine_ = "auto", weighting_ = "soft";
};

}  // namespace quench::cli
