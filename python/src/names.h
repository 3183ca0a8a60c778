// Names as the command line has them, for the enumerations of the public headers.
#pragma once

#include <quench/answer.h>
#include <quench/attention.h>
#include <quench/format.h>

#include <string>

namespace quench::python {

/// These throw UserError with all names that there are.
Format format_named(const std::string& name);
Engine engine_named(const std::string& name);
Summation summation_named(const std::string& name);
Mask mask_named(const std::string& name);
Weighting weighting_named(const std::string& name);

}  // namespace quench::python
