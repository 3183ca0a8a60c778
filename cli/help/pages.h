// Manual pages and the reference of docs/cli.md, written from the commands' own declarations.
#pragma once

#include <string>

#include "cli/arguments/description.h"
#include "cli/arguments/options.h"

namespace quench::cli {

/// A page of section 1 for the program, or for one of its commands.
std::string man_page(const CommandDescription& program, const CommandDescription& command);
/// "quench-bench-attention"
std::string man_name(const CommandDescription& command);

/// A section per command: its help, and what its JSON is.
std::string reference(const App& program);

}  // namespace quench::cli
