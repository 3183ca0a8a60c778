// --dtype: the names of number formats, ours and those that other programs use.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/options.h"

namespace quench::cli {

/// The name of a number format, or one of `also` ("all"). "float32", "fp32" and "single" become "f32", and so on.
Check number_format_name(std::vector<std::string> also = {});

}  // namespace quench::cli
