// The state of one head while a word streams in. Internal to run/stream/stream.cpp.
#pragma once

#include <cstddef>
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
  /// Takes the position up as a key (after the query if the mask is strict) and answers its query.
  virtual void step(const StreamToken& token, std::vector<Plane>& out) = 0;
  /// Whether what is kept has not grown with the word so far.
  virtual bool constant_state() const = 0;
};

/// One component, t = q/τ ≥ 0 that never falls.
std::unique_ptr<StreamHead> make_candidate_head(std::size_t values, bool strict, int precision);
/// Any head; `common` says of each component whether q/τ is the same at every position.
std::unique_ptr<StreamHead> make_class_head(std::size_t values, bool strict, const std::vector<bool>& common,
                                            int precision);

}  // namespace quench::run
