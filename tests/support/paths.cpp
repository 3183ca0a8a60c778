// The one file that is compiled with the places of this build, so that all others compile alike everywhere.
#include "support/paths.h"

namespace quench::test {

std::string source_path(const std::string& relative) { return QUENCH_SOURCE_DIR "/" + relative; }

std::string program_path() { return QUENCH_PROGRAM; }

}  // namespace quench::test
