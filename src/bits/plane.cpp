#include "bits/plane.h"

namespace quench::bits {

std::size_t population(const Plane& plane) {
  std::size_t count = 0;
  for (const Bits word : plane) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

// The carry of an addition does the spreading: adding a = p ∨ q and b = q, a carry leaves bit i if q(i) (both bits set)
// or if p(i) ∧ ¬q(i) (one bit set) and a carry came in. It left bit i iff b(i), or a(i) is set and the sum's bit is
// not.
void spread_right(const Plane& p, const Plane& q, bool before, std::size_t n, Plane& out) {
  const std::size_t words = words_for(n);
  out.resize(words);
  unsigned long long carry = before ? 1 : 0;
  for (std::size_t w = 0; w < words; ++w) {
    const Bits b = q[w], a = p[w] | b;
    const Bits partial = a + b, sum = partial + carry;
    carry = static_cast<unsigned long long>((partial < a) | (sum < partial));
    out[w] = b | (a & ~sum);
  }
  out.back() &= last_mask(n);
}

// Additions carry upwards only, so downwards by doubling: after step s, q(i) knows about i … i + 2s − 1 and p(i) is the
// conjunction over them.
void spread_left(const Plane& p, const Plane& q, bool after, std::size_t n, Plane& out) {
  const std::size_t words = words_for(n);
  out.resize(words);
  Bits carry = after ? kAll : 0;
  for (std::size_t w = words; w-- > 0;) {
    Bits generate = q[w], propagate = p[w];
    if (w + 1 == words) propagate |= ~last_mask(n);  // the edge's value comes in through the unused bits
    for (int s = 1; s < 64; s *= 2) {
      generate |= propagate & (generate >> s);
      propagate &= (propagate >> s) | ~(kAll >> s);
    }
    out[w] = generate | (propagate & carry);
    carry = out[w] & 1 ? kAll : 0;
  }
  out.back() &= last_mask(n);
}

void shift_right(const Plane& p, bool edge, std::size_t n, Plane& out) {
  const std::size_t words = words_for(n);
  out.resize(words);
  Bits carry = edge ? 1 : 0;
  for (std::size_t w = 0; w < words; ++w) {
    const Bits word = p[w];
    out[w] = word << 1 | carry;
    carry = word >> 63;
  }
  out.back() &= last_mask(n);
}

void shift_left(const Plane& p, bool edge, std::size_t n, Plane& out) {
  const std::size_t words = words_for(n);
  out.resize(words);
  for (std::size_t w = 0; w + 1 < words; ++w) out[w] = p[w] >> 1 | p[w + 1] << 63;
  const std::size_t last = (n - 1) % kBits;
  out[words - 1] = p[words - 1] >> 1 | static_cast<Bits>(edge ? 1 : 0) << last;
}

}  // namespace quench::bits
