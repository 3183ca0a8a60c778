// Which quench this is. The one file that implements it is compiled again when the commit changes.
#pragma once

#include <string>

namespace quench::cli {

/// "0.2.0"
std::string version();
/// Version and commit, compiler and kind of build: what a report of a bug needs.
std::string version_text();

}  // namespace quench::cli
