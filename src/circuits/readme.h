// What stands in the README.md of a set: what the files are, how to use them, and a table of the models.
#pragma once

#include <string>

#include "circuits/write_set.h"

namespace quench::circuits {

std::string readme(const CircuitSet& set);

}  // namespace quench::circuits
