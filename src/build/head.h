// One scheduled head → its projections.
#pragma once

#include "build/row.h"
#include "model/transformer.h"
#include "opt/schedule.h"

namespace quench::build {

model::Head build_head(const Place& place, const opt::ScheduledHead& scheduled);

}  // namespace quench::build
