#include "cli/output/version.h"

#include "build_info.h"

namespace quench::cli {

std::string version() { return QUENCH_VERSION; }

std::string version_text() {
  return "quench " QUENCH_VERSION " (commit " QUENCH_COMMIT ")\n" QUENCH_COMPILER ", " QUENCH_BUILD_TYPE;
}

}  // namespace quench::cli
