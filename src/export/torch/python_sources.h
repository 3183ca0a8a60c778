// The Python files that stand beside exported weights, as texts in the library. They are files of python/quench.
#pragma once

#include <string_view>

namespace quench::exports {

/// "quench_torch.py" or "modeling_quench.py".
std::string_view python_source(std::string_view name);

}  // namespace quench::exports
