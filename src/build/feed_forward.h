// One layer's Boolean functions and clearings → its feed-forward sublayer.
#pragma once

#include "build/row.h"
#include "model/transformer.h"
#include "opt/schedule.h"

namespace quench::build {

model::FeedForward build_feed_forward(const Place& place, const opt::Schedule& schedule, int layer);

}  // namespace quench::build
