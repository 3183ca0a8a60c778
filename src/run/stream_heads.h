// The state of one head while a word streams in. Internal to run/stream.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/attention_kind.h"
#include "run/head_work.h"

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
  virtual bool constant_state() const = 0;
};

enum class StreamMethod { scan, candidates, all };

std::unique_ptr<StreamHead> make_stream_head(StreamMethod method, std::size_t values, bool strict, int precision);

}  // namespace quench::run
