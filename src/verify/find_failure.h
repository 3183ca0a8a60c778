// The smallest length at which a model really fails: how tight a certified length is, measured.
#pragma once

#include <optional>
#include <string>

#include "lang/formula.h"
#include "model/transformer.h"
#include "run/reference.h"

namespace quench::verify {

struct Failure {
  std::size_t length = 0, position = 0;
  bool expected = false, got = false;
  std::string family;  ///< which words failed, in words
};

struct FailureSearch {
  std::size_t from = 1, to = 2048;  ///< lengths that are tried
  double step = 1.15;               ///< each length is about this times the one before
  run::Options run;
  std::uint64_t seed = 1;
};

/// Tries adversarial words of growing length: ties at the far end, nearly equal counts, counts one off a threshold, random
/// words. When a family fails, shorter words of it are bisected. Not a proof that shorter words are right: the result is
/// an upper bound of the first failure.
std::optional<Failure> find_failure(const model::Transformer& model, const lang::Formula& formula,
                                    const FailureSearch& search);

/// Adversarial words of one length, by family; `kinds` symbols, the last of which stands for unmentioned ones.
inline constexpr std::size_t kFamilies = 12;
Word adversarial_word(std::size_t family, std::size_t kinds, std::size_t length, std::uint64_t seed);
const char* family_name(std::size_t family);

}  // namespace quench::verify
