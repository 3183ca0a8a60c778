// Certificates of `quench soften`: which words are looked at together, and how answers are read
// (check/soften/enclosure.h).
#pragma once

#include "check/check.h"

namespace quench::check {

/// All words of a length at once where that decides everything, else one by one as long as they are few.
/// Verdict::covered is false where neither does; the reason says how far it went.
Verdict check_softened(const model::Certificate& certificate, const model::Transformer& model);

}  // namespace quench::check
