// Hard attention among exact scores: which of the keys that tie at the top share the weight.
#pragma once

#include <cstddef>
#include <vector>

#include "base/attention_kind.h"

namespace quench {

/// Whether hard attention of this kind takes one of the keys that tie.
constexpr bool takes_one_key(Weighting weighting) {
  switch (weighting) {
    case Weighting::lhardmax:
    case Weighting::rhardmax:
      return true;
    case Weighting::soft:
    case Weighting::ahardmax:
      return false;
  }
  return false;
}

/// `tied` are the keys with the greatest score, in order; they may be none. A head that is soft is uniform where it is
/// evaluated exactly, so all of them share the weight.
inline std::vector<std::size_t> sharing_keys(Weighting weighting, std::vector<std::size_t> tied) {
  if (tied.empty()) return tied;
  switch (weighting) {
    case Weighting::soft:
    case Weighting::ahardmax:
      return tied;
    case Weighting::lhardmax:
      return {tied.front()};
    case Weighting::rhardmax:
      return {tied.back()};
  }
  return tied;
}

}  // namespace quench
