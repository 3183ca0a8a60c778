// Checking models in which every coordinate is a whole number and every head rests on [Q-gap]: that no operation
// rounds, and that each row is won by one key, or by 2^s keys whose mean is exact (docs/theory-exact.md,
// docs/certificates.md). Nothing here is shared with src/certify.
//
//   profile.h  functions of one whole number     cells.cpp  embedding, sums, outputs
//   factors.h  scores by key, fines.cpp          scores.cpp which keys win
//   heads.cpp  what they retrieve                units.cpp  hidden units
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "check/facts.h"
#include "check/whole/profile.h"

namespace quench::check {

/// Whether a model is to be checked in this way: all of its heads say so, or, without heads, its positions or output.
bool in_whole_numbers(const model::Transformer& model);
/// A line for each head, without names; throws Rejected.
std::vector<Line> derive_in_whole_numbers(const Claim& claim);

/// Bounds at any position, at the first, at the last.
struct Everywhere {
  Bounds any, first, last;
  bool is(Int x) const { return any == Bounds{x, x}; }
};

/// What a Boolean encoding of positions says.
struct Sight {
  /// Bits of i−1, n−i, n−1, ((i−1) mod 2^low)²; `joined`: bit `bit` or bit `low` of i−1.
  enum class Of { nothing, first, last, before, after, others, square, joined };
  Of of = Of::nothing;
  int bit = 0, low = 0;
  bool is_bit() const { return of == Of::before || of == Of::after || of == Of::others; }
  friend bool operator==(const Sight&, const Sight&) = default;
};

/// A sum of cells that others are functions of.
struct Root {
  std::vector<std::pair<long, Int>> terms;  ///< cell number, weight
  Everywhere bounds;
  Sight::Of counts =
      Sight::Of::nothing;  ///< at most the positions up to i (before), from i on (after), in all (others)
};

struct Cell {
  long number = 0;  ///< changes whenever it is written
  Everywhere bounds;
  Sight sight;
  std::shared_ptr<const Root> root;
  std::optional<Profile> profile;         ///< as a function of the root
  Sight::Of within = Sight::Of::nothing;  ///< at most i−1 or n−i, wherever that is not 0, or n−1 …
  Int beyond = 0;                         ///< … and so much more
};
using Cells = std::vector<Cell>;

/// Σ w·x + b with no rounding in any order.
struct Total {
  Everywhere bounds;
  long grid = 0;  ///< a multiple of 2^grid
  std::shared_ptr<const Root> root;
  std::optional<Profile> profile;
};
Total total(const Claim& claim, const Cells& cells, const SparseMatrix::Row& row, double bias);
/// Of a row whose total with another bias is known.
Total total(const Claim& claim, const Cells& cells, const SparseMatrix::Row& row, double bias, const Total& other,
            double other_bias);
/// Makes a total that has a root a root itself, within its bounds.
void forget_root(const Cells& cells, const SparseMatrix::Row& row, double bias, Total& result);

Int whole_weight(const Claim& claim, double w);
/// Rejects unless all multiples of 2^grid up to the size are numbers of the format.
void need_room(const FloatFormat& format, Int size, long grid, const char* what);
Int size_of(const Bounds& bounds);
long unused_number(const Cells& cells);

/// The keys that win the rows of a head.
struct Win {
  enum class By { one_key, first, last, block };
  By by = By::one_key;
  bool anywhere = true;  ///< of one key: not even restricted to what the mask leaves at the ends
  Sight::Of number = Sight::Of::nothing;
  int bit = 0, keys_log = 0;  ///< of a block: 2^keys_log keys where this bit of the number is set
};
/// Also how far apart the scores of two keys are that are not equal.
Win win(const Claim& claim, const Cells& cells, const model::Head& head, Int& apart);

void pass_heads(const Claim& claim, const model::Layer& layer, Cells& cells, std::vector<Line>& lines);
void pass_units(const Claim& claim, const model::FeedForward& ffn, Cells& cells);

}  // namespace quench::check
