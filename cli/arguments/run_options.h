// --dtype, --engine, --weighting: how a model is run.
#pragma once

#include <string>

#include "cli/arguments/options.h"
#include "run/executor.h"

namespace quench::cli {

class RunArguments {
 public:
  /// `bits`: whether the command also takes --engine bits.
  void add_to(App& command, bool bits = false);
  run::Options options() const;
  /// Not for bits(), which is no executor of networks.
  run::Engine engine() const;
  bool bits() const { return engine_ == "bits"; }

 private:
  std::string dtype_ = "f64", engine_ = "auto", weighting_ = "soft";
};

}  // namespace quench::cli
