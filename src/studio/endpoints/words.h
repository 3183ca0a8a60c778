// A word and what is done to the network while it runs: what /api/word and /api/attention.svg both take.
#pragma once

#include <quench/quench.h>

#include <memory>
#include <string>
#include <vector>

#include "studio/desk.h"

namespace quench::studio {

struct WordRequest {
  std::shared_ptr<KeptModel> kept;
  Model model;  ///< at the temperature asked for
  std::string word;
  TraceOptions options;
  bool as_certified = true;  ///< nothing has been changed
};
/// Reads all fields. Throws Refusal.
WordRequest word_request(Desk& desk, Fields& fields);

/// Positions, from 1, at which two answers differ.
std::vector<std::size_t> differences(const Answer& expected, const Answer& got);
/// What an answer says at a position (from 1), as text.
std::string text_at(const Answer& answer, std::size_t position);

}  // namespace quench::studio
