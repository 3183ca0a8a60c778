// A table as lines of text that are no wider than they have to be.
#pragma once

#include <cstddef>
#include <string>

#include "driver/listing.h"

namespace quench::driver {

/// The title, the names of the columns, the rows; see to_text in driver/listing.h.
std::string table_text(const Table& table, std::size_t columns);

}  // namespace quench::driver
