// The module quench._quench: the public headers of Quench (include/quench) as Python sees them, one file per header.
// What people call is python/quench, which is written in Python and stands on this.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace quench::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_rules(nb::module_& module);
void bind_models(nb::module_& module);
void bind_runs(nb::module_& module);
void bind_certificates(nb::module_& module);
void bind_comparisons(nb::module_& module);
void bind_training(nb::module_& module);
void bind_exports(nb::module_& module);
void bind_attention(nb::module_& module);
void bind_inspection(nb::module_& module);

}  // namespace quench::python
