// The files that are the same in every set, as texts in the library. They are the files of src/circuits/set.
#pragma once

#include <string_view>

namespace quench::circuits {

/// "score.py", "methods.py" or "circuit.schema" (without ".json").
std::string_view set_text(std::string_view name);

}  // namespace quench::circuits
