// Who reads and who writes which coordinate of the residual stream, and which tenant lives there at the time: a model
// as a diagram. Read off the weights that are not 0; the tenants are what the file says of its coordinates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/transformer.h"

namespace quench::model {

struct Access {
  std::uint32_t coordinate = 0;
  std::optional<std::size_t> tenant;  ///< its number in the model; nothing if nobody lives there, as when it is cleared
  friend bool operator==(const Access&, const Access&) = default;
};

/// Coordinates increase.
struct HeadWiring {
  std::vector<Access> queries, keys, values, writes;
};
struct UnitWiring {
  std::vector<Access> reads, writes;
};
struct LayerWiring {
  std::vector<HeadWiring> heads;
  std::vector<UnitWiring> units;
};

/// By layer.
std::vector<LayerWiring> wiring(const Transformer& model);

}  // namespace quench::model
