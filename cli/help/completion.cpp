#include "cli/help/completion.h"

#include <algorithm>

namespace quench::cli {

bool names_file(const OptionDescription& option) {
  return option.value == "FILE" || option.value == "DIR" || option.value == "SOURCE" || option.value == "MODEL" ||
         option.value == "NAME|FILE";
}

std::string shell_quoted(const std::string& text) {
  std::string plain = text;
  std::erase(plain, '\'');
  return "'" + plain + "'";
}

}  // namespace quench::cli
