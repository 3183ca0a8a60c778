// The state of one head while a word streams in. Internal to run/stream/stream.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/attention_kind.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

/// q·k components, values and 1/τ of the newest position.
struct StreamToken {
  std::vector<double> q, k;
  std::vector<Plane> v;  ///< planes of one entry
  double scale = 1;
};

class StreamHead {
 public:
  virtual ~StreamHead() = default;
  virtual void clear() = 0;
  /// Takes the position up as a key (after the query if the mask is strict) and answers its query. Returns false if
  /// keys that were not kept may count there.
  virtual bool step(const StreamToken& token, std::vector<Plane>& out) = 0;
  /// Whether what is kept has not grown with the word so far.
  virtual bool constant_state() const = 0;
};

/// Components whose queries are the upper bits of the number of positions before, the highest first. So what is asked
/// for never falls, and a key that was not asked for in its own block of positions never will be. None: no such head.
struct PositionClock {
  struct Bit {
    std::size_t component;
    bool negated;  ///< the query is negative where the bit is set
  };
  std::vector<Bit> bits;

  /// By the signs of queries or of keys.
  std::uint64_t read(const double* components) const;
};

/// One component, t = q/τ ≥ 0 that never falls.
std::unique_ptr<StreamHead> make_candidate_head(std::size_t values, bool strict, int precision);
/// Any head; `common` says of each component whether q/τ is the same at every position. Keys of blocks before that of
/// the clock are forgotten, but for the first position's, which may be a sink.
std::unique_ptr<StreamHead> make_class_head(std::size_t values, bool strict, const std::vector<bool>& common,
                                            PositionClock clock, int precision);

}  // namespace quench::run
