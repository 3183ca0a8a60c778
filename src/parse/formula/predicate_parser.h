// `pred p = {1, 4, 9}` and `pred q(x, n) = x*x <= n`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/predicate.h"
#include "parse/text/cursor.h"
#include "parse/text/reporter.h"

namespace quench::parse {

class PredicateParser {
 public:
  PredicateParser(Cursor& cursor, Reporter& reporter) : cursor_(cursor), reporter_(reporter) {}

  /// Reads what follows the name of the predicate. Nothing (and reported) if it is wrong.
  std::optional<Predicate> parse(std::string_view name);
  std::size_t depth() const { return depth_; }

 private:
  bool parameters(std::vector<std::string_view>& names);
  std::optional<Predicate> set();
  bool malformed(const Token& found, std::string expected);

  Cursor& cursor_;
  Reporter& reporter_;
  std::size_t depth_ = 0;
};

}  // namespace quench::parse
