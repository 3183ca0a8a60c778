#include "bits/slice_operators.h"

#include "base/error.h"
#include "bits/slice_lanes.h"

namespace quench::bits {

using lang::Operator;

namespace {

// A step makes the value at a position from p and q there and from `last`, and leaves in `last` what the next position
// gets to see. Before the first position `last` is the edge's value, the same in all words; going backwards that is so
// at every position beyond the end of a word.

template <class Step>
QUENCH_INLINE void forwards(const Slice* p, const Slice* q, const Extent& extent, Bits edge, Slice* out, Step step) {
  Vector last = Vector{} + edge;
  for (std::size_t i = 0; i < extent.longest; ++i) step(vectors(p)[i], vectors(q)[i], last, vectors(out)[i]);
}

template <class Step>
QUENCH_INLINE void backwards(const Slice* p, const Slice* q, const Extent& extent, Bits edge, Slice* out, Step step) {
  Vector last = Vector{} + edge;
  std::size_t i = extent.longest;
  for (; i-- > extent.shortest;) {
    step(vectors(p)[i], vectors(q)[i], last, vectors(out)[i]);
    const Vector& alive = vectors(extent.alive.data())[i - extent.shortest];
    last = (last & alive) | (edge & ~alive);
  }
  for (i = extent.shortest; i-- > 0;) step(vectors(p)[i], vectors(q)[i], last, vectors(out)[i]);
}

using V = Vector;
struct Neighbour {  // y is not used
  QUENCH_INLINE void operator()(const V& x, const V&, V& last, V& out) const {
    const V here = x;
    out = last;
    last = here;
  }
};

#define QUENCH_STEP(name, expression)                                              \
  struct name {                                                                    \
    QUENCH_INLINE void operator()(const V& x, const V& y, V& last, V& out) const { \
      static_cast<void>(y);                                                        \
      out = last = (expression);                                                   \
    }                                                                              \
  };
QUENCH_STEP(Not, ~x)
QUENCH_STEP(And, x& y)
QUENCH_STEP(Or, x | y)
QUENCH_STEP(Implies, ~x | y)
QUENCH_STEP(Iff, ~(x ^ y))
QUENCH_STEP(Xor, x ^ y)
QUENCH_STEP(Any, last | x)
QUENCH_STEP(Every, last& x)
QUENCH_STEP(Spread, y | (x & last))      // y, or x and it was so
QUENCH_STEP(SpreadWithin, x&(y | last))  // x, and y or it was so
#undef QUENCH_STEP

#define QUENCH_FORWARDS(name, Step)                                                                     \
  QUENCH_MULTIVERSION void name(const Slice* p, const Slice* q, const Extent& extent, Bits edge, Slice* out) { \
    forwards(p, q, extent, edge, out, Step());                                                          \
  }
#define QUENCH_BACKWARDS(name, Step)                                                                    \
  QUENCH_MULTIVERSION void name(const Slice* p, const Slice* q, const Extent& extent, Bits edge, Slice* out) { \
    backwards(p, q, extent, edge, out, Step());                                                         \
  }
QUENCH_FORWARDS(negation, Not)
QUENCH_FORWARDS(conjunction, And)
QUENCH_FORWARDS(disjunction, Or)
QUENCH_FORWARDS(implication, Implies)
QUENCH_FORWARDS(equivalence, Iff)
QUENCH_FORWARDS(exclusive_or, Xor)
QUENCH_FORWARDS(from_before, Neighbour)
QUENCH_FORWARDS(any_before, Any)
QUENCH_FORWARDS(every_before, Every)
QUENCH_FORWARDS(spread_forwards, Spread)
QUENCH_FORWARDS(spread_within_forwards, SpreadWithin)
QUENCH_BACKWARDS(from_after, Neighbour)
QUENCH_BACKWARDS(any_after, Any)
QUENCH_BACKWARDS(every_after, Every)
QUENCH_BACKWARDS(spread_backwards, Spread)
QUENCH_BACKWARDS(spread_within_backwards, SpreadWithin)
#undef QUENCH_FORWARDS
#undef QUENCH_BACKWARDS

}  // namespace

void apply(Operator op, const Slice* p, const Slice* q, const Extent& extent, Slice* out) {
  switch (op) {
    case Operator::not_:
      return negation(p, q, extent, 0, out);
    case Operator::previous:
      return from_before(p, q, extent, 0, out);
    case Operator::weak_previous:
      return from_before(p, q, extent, kAll, out);
    case Operator::next:
      return from_after(p, q, extent, 0, out);
    case Operator::weak_next:
      return from_after(p, q, extent, kAll, out);
    case Operator::once:
      return any_before(p, q, extent, 0, out);
    case Operator::historically:
      return every_before(p, q, extent, kAll, out);
    case Operator::eventually:
      return any_after(p, q, extent, 0, out);
    case Operator::always:
      return every_after(p, q, extent, kAll, out);
    case Operator::and_:
      return conjunction(p, q, extent, 0, out);
    case Operator::or_:
      return disjunction(p, q, extent, 0, out);
    case Operator::implies:
      return implication(p, q, extent, 0, out);
    case Operator::iff:
      return equivalence(p, q, extent, 0, out);
    case Operator::xor_:
      return exclusive_or(p, q, extent, 0, out);
    case Operator::since:
      return spread_within_forwards(p, q, extent, 0, out);
    case Operator::standard_since:
      return spread_forwards(p, q, extent, 0, out);
    case Operator::until:
      return spread_within_backwards(p, q, extent, 0, out);
    case Operator::standard_until:
      return spread_backwards(p, q, extent, 0, out);
    case Operator::weak_until:
      return spread_backwards(p, q, extent, kAll, out);
    case Operator::release:  // q up to and including where p holds, or to the end
      return spread_within_backwards(q, p, extent, kAll, out);
  }
  QUENCH_ASSERT(false && "not an operator");
}

}  // namespace quench::bits
