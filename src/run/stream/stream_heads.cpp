#include "run/stream/stream_heads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "run/stream/class_index.h"
#include "run/structured/kernels/lane_exp.h"
#include "run/structured/kernels/scan_kernel.h"
#include "run/structured/methods/candidates/candidate_list.h"

namespace quench::run {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

/// No word is longer than 2^40: the cutoff counts that many negligible keys.
double cutoff_of(int precision) { return (precision + 3 + 40) * 0.6931471805599454; }

/// One component, t = scale·q ≥ 0 that never falls (run/stream/stream.cpp makes sure).
class CandidateHead : public StreamHead {
 public:
  CandidateHead(std::size_t values, bool strict, int precision)
      : list_(values, cutoff_of(precision)), strict_(strict) {}
  void clear() override { list_.clear(); }
  bool step(const StreamToken& token, std::vector<Plane>& out) override {
    const double t = token.q[0] * token.scale;
    if (strict_) list_.answer(t, out, 0);
    list_.add(t, token.k[0], token.v, 0);
    if (!strict_) list_.answer(t, out, 0);
    return true;
  }
  bool constant_state() const override { return true; }

 private:
  CandidateList list_;
  const bool strict_;
};

/// Any head, by classes of keys as in run/structured/methods/scan.h: one running sum for every distinct vector of the
/// components whose queries vary. Booleans and parities make few of them. Heads that look a position up have as many as
/// there are keys; where one class outweighs all others by far, an index finds it. That is also why classes may be
/// forgotten: which are is a guess (PositionClock), but a row is answered only where what is found outweighs every
/// class there ever was.
class ClassHead : public StreamHead {
 public:
  ClassHead(std::size_t values, bool strict, const std::vector<bool>& common, PositionClock clock, int precision)
      : common_(common),
        strict_(strict),
        clock_(std::move(clock)),
        index_(common, cutoff_of(precision)),
        sums_(values) {}
  void clear() override {
    index_.clear();
    for (std::vector<double>* array : {&max_, &total_}) array->clear();
    for (std::vector<double>& sum : sums_) sum.clear();
    kept_.clear();
    forgotten_ = false;
    block_ = 0;
  }
  bool step(const StreamToken& token, std::vector<Plane>& out) override {
    if (!clock_.bits.empty() && !begin_block(clock_.read(token.q.data()))) return false;
    if (strict_ && !answer(token, out)) return false;
    absorb(token);
    return strict_ || answer(token, out);
  }
  bool constant_state() const override { return total_.size() <= kMostScanClasses; }

 private:
  /// Forgets what no later block asks for. False: this one is before others, for which something was forgotten.
  bool begin_block(std::uint64_t block) {
    if (block == block_) return true;
    if (block < block_ && forgotten_) return false;
    block_ = block;
    std::erase_if(kept_, [&](std::size_t c) {
      if (c == 0 || clock_.read(index_.key(c).data()) >= block) return false;
      index_.forget(c);
      total_[c] = 0;
      forgotten_ = true;
      return true;
    });
    return true;
  }

  std::size_t class_of(const StreamToken& token) {
    const std::size_t c = index_.find_or_add(token.k);
    if (c < total_.size() && total_[c] > 0) return c;
    if (c == total_.size()) {
      max_.push_back(0);
      total_.push_back(0);
      for (std::vector<double>& sum : sums_) sum.push_back(0);
    }
    max_[c] = kNone;
    total_[c] = 0;
    for (std::vector<double>& sum : sums_) sum[c] = 0;
    if (!clock_.bits.empty()) kept_.push_back(c);
    return c;
  }

  void absorb(const StreamToken& token) {
    double kappa = 0;
    for (std::size_t l = 0; l < token.k.size(); ++l)
      if (common_[l]) kappa += token.q[l] * token.k[l];
    kappa *= token.scale;
    const std::size_t c = class_of(token);
    const double x = kappa - max_[c], e = lane_exp(-std::fabs(x)), keep = x > 0 ? e : 1, add = x > 0 ? 1 : e;
    max_[c] = std::max(max_[c], kappa);
    index_.raise(c, max_[c]);
    total_[c] = total_[c] * keep + add;
    for (std::size_t y = 0; y < sums_.size(); ++y) sums_[y][c] = sums_[y][c] * keep + add * token.v[y][0];
  }

  bool choose_classes(const StreamToken& token) {
    if ((forgotten_ || total_.size() > kMostScanClasses) && index_.find_winners(token.q, token.scale, chosen_))
      return true;
    chosen_.resize(total_.size());
    std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
    return !forgotten_;
  }

  bool answer(const StreamToken& token, std::vector<Plane>& out) {
    if (!choose_classes(token)) return false;
    const std::size_t count = chosen_.size();
    row_.assign(count, 0.0);
    double best = kNone;
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t c = chosen_[r];
      const std::vector<double>& key = index_.key(c);
      for (std::size_t l = 0; l < key.size(); ++l)
        if (!common_[l]) row_[r] += token.q[l] * key[l];
      row_[r] = row_[r] * token.scale + max_[c];
      best = std::max(best, row_[r]);
    }
    double total = 0;
    for (std::size_t r = 0; r < count; ++r) total += (row_[r] = lane_exp(row_[r] - best)) * total_[chosen_[r]];
    for (std::size_t y = 0; y < out.size(); ++y) {
      double sum = 0;
      for (std::size_t r = 0; r < count; ++r) sum += row_[r] * sums_[y][chosen_[r]];
      out[y][0] = count == 0 ? 0 : sum / total;
    }
    return true;
  }

  const std::vector<bool> common_;  // by component: the query is the same everywhere
  const bool strict_;
  const PositionClock clock_;
  ClassIndex index_;
  std::vector<double> max_, total_;  // by class; a total is at least 1, or 0 if the class is forgotten
  std::vector<std::size_t> kept_;    // with a clock: the classes that are not forgotten
  std::uint64_t block_ = 0;
  bool forgotten_ = false;                 // some class was
  std::vector<std::vector<double>> sums_;  // by value and class
  std::vector<std::size_t> chosen_;        // the classes that a row looks at
  std::vector<double> row_;                // their weights
};

}  // namespace

std::uint64_t PositionClock::read(const double* components) const {
  std::uint64_t number = 0;
  for (const Bit& bit : bits) number = 2 * number + ((components[bit.component] > 0) != bit.negated);
  return number;
}

std::unique_ptr<StreamHead> make_candidate_head(std::size_t values, bool strict, int precision) {
  return std::make_unique<CandidateHead>(values, strict, precision);
}

std::unique_ptr<StreamHead> make_class_head(std::size_t values, bool strict, const std::vector<bool>& common,
                                            PositionClock clock, int precision) {
  return std::make_unique<ClassHead>(values, strict, common, std::move(clock), precision);
}

}  // namespace quench::run
