// --dtype: the names of number formats, ours and those that other programs use.
#pragma once

#include <string>
#include <vector>

#include "base/number/number_format.h"
#include "cli/arguments/options.h"

namespace quench::cli {

/// The name of a number format, or one of `also` ("all"). "float32", "fp32" and "single" become "f32", and so on.
Check number_format_name(std::vector<std::string> also = {});

/// `--dtype` of commands that certify: several formats, or all of them.
class FormatsArgument {
 public:
  void add_to(App& app);
  /// Those asked for; the usual ones, if none is.
  std::vector<NumberFormat> formats() const;

 private:
  std::vector<std::string> names_;
};

}  // namespace quench::cli
