// quench run --stream: tokens as they come, each answered at once.
#pragma once

#include <cstdint>
#include <string>

#include "model/transformer.h"
#include "run/reference/reference.h"

namespace quench::cli {

/// Reads tokens from standard input, or from a file, to the end or up to `longest` of them; prints one value per line as
/// soon as it is known. Returns how many there were, or longest + 1 if there were more.
std::size_t stream_tokens(const model::Transformer& model, const run::Options& options, const std::string& input,
                          bool explain, std::uint64_t longest);

}  // namespace quench::cli
