#include "run/structured/methods/codes/columns.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/number/multiversion.h"

namespace quench::run {

namespace {

QUENCH_MULTIVERSION void add_numbers(const double* x, std::size_t count, double factor, double* to) {
  for (std::size_t p = 0; p < count; ++p) to[p] += factor * x[p];
}

}  // namespace

Columns::Columns(HeadWork& work, std::size_t word)
    : work_(work),
      word_(word),
      even_(all_equal(work.scale.data(), work.scale.size())),
      factor_(even_ ? work.scale[0] : 1),
      q_(work.q.size()),
      k_(work.k.size()),
      v_(work.v.size()) {}

WordColumn Columns::from(const Column& packed, std::size_t word) const {
  WordColumn column;
  column.low = packed.low;
  column.high = packed.high;
  if (packed.bits.empty()) return column;
  column.ones = packed.ones[word];
  if (column.ones == 0 || column.ones == work_.n)
    column.low = column.high = column.ones == 0 ? packed.low : packed.high;
  else
    column.bits = packed.of_word(word);
  return column;
}

const WordColumn& Columns::column(const HeadWork::PackedComponents& packed, std::vector<Kept>& kept, std::size_t l,
                                  Of of) {
  Kept& one = kept[l];
  if (std::exchange(one.known, true)) return one.column;
  const bool given = !packed.empty() && (even_ || of != Of::queries);
  if (given && !packed[l]->many) return one.column = from(*packed[l], word_);
  one.column.many = true;
  if (given && packed[l]->peak) {
    const Peak& peak = *packed[l]->peak;
    one.column.at_peak = peak.bits.data() + word_ * peak.apart;
    one.column.peak = &peak;
    if (count_ones(one.column.at_peak, peak.apart) > 0) return one.column;
    one.column.peak = nullptr;
  }
  const double* plane = plane_of(one, l, of);
  if (given && work_.words == 1) {
    one.column.plane = plane;
    return one.column;
  }
  ColumnMaker<double> maker(work_.n, 1);
  maker.take(plane, work_.n, 0, 0);
  one.packed = maker.made();
  if (one.packed.many)
    one.column.plane = plane;
  else
    one.column = from(one.packed, 0);
  return one.column;
}

const WordColumn& Columns::all_of_k(std::size_t l) {
  WordColumn& column = k_[l].column;
  if (k(l).many && !column.plane) column.plane = plane_of(k_[l], l, Of::keys);
  return column;
}

const double* Columns::plane_of(Kept& kept, std::size_t l, Of of) {
  const Plane& plane = of == Of::values ? work_.need_v(l) : of == Of::keys ? work_.need_k(l) : work_.need_q(l);
  const bool scaled = of == Of::queries && !even_;
  if (work_.words == 1 && !scaled) return plane.data();
  if (kept.plane.empty()) {
    kept.plane.resize(work_.n);
    for (std::size_t i = 0; i < work_.n; ++i) kept.plane[i] = plane[i * work_.words + word_];
    if (scaled) multiply(work_.scale.data(), work_.n, kept.plane.data());
  }
  return kept.plane.data();
}

std::vector<const WordColumn*> Columns::values() {
  std::vector<const WordColumn*> all;
  for (std::size_t x = 0; x < v_.size(); ++x) all.push_back(&v(x));
  return all;
}

const double* Columns::all_of_q(std::size_t l) { return plane_of(q_[l], l, Of::queries); }

bool all_equal(const double* x, std::size_t count) {
  return std::adjacent_find(x, x + count, std::not_equal_to<>()) == x + count;
}

QUENCH_MULTIVERSION void mark_positive(const double* x, std::size_t count, std::uint64_t bit, std::uint64_t* codes) {
  for (std::size_t p = 0; p < count; ++p) codes[p] |= x[p] > 0 ? bit : 0;
}
QUENCH_MULTIVERSION void mark_small(const double* x, std::size_t count, double span, double least, std::uint64_t bit,
                                    std::uint64_t* codes) {
  for (std::size_t p = 0; p < count; ++p) codes[p] |= std::fabs(x[p]) * span < least ? bit : 0;
}
QUENCH_MULTIVERSION void mark_unequal(const double* x, std::size_t count, double span, const double* should,
                                      std::uint64_t bit, std::uint64_t* codes) {
  for (std::size_t p = 0; p < count; ++p) codes[p] |= std::fabs(x[p]) * span != should[p] ? bit : 0;
}
QUENCH_MULTIVERSION void set_sizes(const double* x, std::size_t count, double span, double* to) {
  for (std::size_t p = 0; p < count; ++p) to[p] = std::fabs(x[p]) * span;
}

double greatest_multiple(const WordColumn& x, std::size_t count, double factor) {
  if (x.few()) return std::fmax(factor * x.low, factor * x.high);
  const auto [least, most] = std::minmax_element(x.plane, x.plane + count);
  return std::fmax(factor * *least, factor * *most);
}

void add_multiple(const WordColumn& x, std::size_t count, double factor, double* to) {
  if (x.plane) return add_numbers(x.plane, count, factor, to);
  for (std::size_t p = 0; p < count; ++p) to[p] += factor * x.at(p);
}

}  // namespace quench::run
