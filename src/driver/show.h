// Each stage of a compilation as a listing.
#pragma once

#include "driver/compile.h"
#include "driver/listing.h"

namespace quench::driver {

Listing show_ir(const Compilation& compilation);
Listing show_schedule(const Compilation& compilation);
Listing show_layout(const Compilation& compilation);
Listing show_model(const model::Transformer& model);

}  // namespace quench::driver
