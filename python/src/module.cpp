#include "bindings.h"

NB_MODULE(_quench, module) {
  using namespace quench::python;
  module.doc() = "The C++ library; python/quench is what to call.";
  module.def("version", [] { return QUENCH_VERSION; });
  bind_errors(module);
  bind_rules(module);
  bind_models(module);
  bind_runs(module);
  bind_certificates(module);
  bind_comparisons(module);
  bind_training(module);
  bind_exports(module);
  bind_attention(module);
  bind_inspection(module);
}
