// Where the tests find the source tree and the program.
#pragma once

#include <string>

namespace quench::test {

/// A file or folder of the source tree, by its path from the root.
std::string source_path(const std::string& relative);

/// The command line program of this build.
std::string program_path();

}  // namespace quench::test
