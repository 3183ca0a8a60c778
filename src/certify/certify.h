// How long a word may be: for a compiled model and a number format, a length N such that on every word of length at most
// N the floating-point network gives, at every position, the Boolean that the ideal network gives (exact arithmetic,
// every head attending as its lemma intends). Works from the weights; claims and names are only hints to be confirmed.
// docs/certificates.md says what is promised.
//
// The proof of a length N covers all n ≤ N at once: every bound in it is a bound over 1 ≤ i ≤ n ≤ N. So the search for
// the largest N needs no monotonicity to be sound; monotonicity only makes what it finds the largest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number_format.h"
#include "model/transformer.h"

namespace quench::certify {

/// How sums over positions are assumed to be formed.
enum class Summation : std::uint8_t {
  any,             ///< in any order; weights may be normalised before they are summed
  normalise_last,  ///< in any order; Σe·v is divided by Σe
  exact_count,     ///< exactly (or in a wider format), rounded once; then divided
};
std::string_view to_string(Summation summation);

/// The two roundings of a number format; free, so that narrow mantissas can be studied.
struct Arithmetic {
  FloatFormat storage, compute;
  static Arithmetic of(NumberFormat format) { return {storage_format(format), compute_format(format)}; }
};

struct HeadLine {
  std::string name, lemma;
  double gap = 0;          ///< per position, in units of scaled scores; 0 for uniform heads
  double score_error = 0;  ///< greatest error of a scaled score
  double bound = 0;        ///< greatest distance of a result from the ideal one
};

inline constexpr std::uint64_t kLongest = std::uint64_t{1} << 53;

struct Finding {
  std::uint64_t length = 0;  ///< 0: not even one position; kLongest: no limit below 2^53
  std::string limiting_head;  ///< what stops at length + 1; empty if nothing does
  std::string reason;         ///< in words
  std::vector<HeadLine> heads;  ///< at `length` (at 1 where nothing is certified)
};

/// The largest length found, up to `longest`.
Finding certify(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation,
                std::uint64_t longest = kLongest);

/// Whether one length is certified.
bool holds(const model::Transformer& model, const Arithmetic& arithmetic, Summation summation, std::uint64_t length);

}  // namespace quench::certify
