// User-defined predicates as text.
#pragma once

#include <string>

#include "base/predicate.h"

namespace quench::lang {

bool is_user_defined(const Predicate& predicate);

/// `pred p = {1, 4, 9}` or `pred q(x, n) = x*x <= n`, with only the parentheses that are needed.
std::string definition(const Predicate& predicate);

}  // namespace quench::lang
