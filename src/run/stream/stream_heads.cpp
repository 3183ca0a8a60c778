#include "run/stream/stream_heads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/structured/kernels/lane_exp.h"
#include "run/structured/kernels/scan_kernel.h"
#include "run/structured/methods/candidate_list.h"

namespace quench::run {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

/// One component, t = scale·q ≥ 0 that never falls (run/stream/stream.cpp makes sure).
class CandidateHead : public StreamHead {
 public:
  /// No word is longer than 2^40: the cutoff counts that many negligible keys.
  CandidateHead(std::size_t values, bool strict, int precision)
      : list_(values, (precision + 3 + 40) * 0.6931471805599454), strict_(strict) {}
  void clear() override { list_.clear(); }
  void step(const StreamToken& token, std::vector<Plane>& out) override {
    const double t = token.q[0] * token.scale;
    if (strict_) list_.answer(t, out, 0);
    list_.add(t, token.k[0], token.v, 0);
    if (!strict_) list_.answer(t, out, 0);
  }
  bool constant_state() const override { return true; }

 private:
  CandidateList list_;
  const bool strict_;
};

/// Any head, by classes of keys as in run/structured/methods/scan.h: one running sum for every distinct vector of the
/// components whose queries vary. Booleans and parities make few of them; a lookup has as many as there are keys.
class ClassHead : public StreamHead {
 public:
  ClassHead(std::size_t values, bool strict, std::vector<bool> common)
      : common_(std::move(common)), strict_(strict), sums_(values) {}
  void clear() override {
    for (std::vector<double>* array : {&keys_, &max_, &total_}) array->clear();
    for (std::vector<double>& sum : sums_) sum.clear();
  }
  void step(const StreamToken& token, std::vector<Plane>& out) override {
    if (strict_) answer(token, out);
    absorb(token);
    if (!strict_) answer(token, out);
  }
  bool constant_state() const override { return total_.size() <= kMostScanClasses; }

 private:
  std::size_t class_of(const StreamToken& token) {
    const std::size_t width = token.k.size();
    for (std::size_t c = total_.size(); c-- > 0;) {
      bool same = true;
      for (std::size_t l = 0; l < width; ++l) same = same && (common_[l] || keys_[c * width + l] == token.k[l]);
      if (same) return c;
    }
    keys_.insert(keys_.end(), token.k.begin(), token.k.end());
    max_.push_back(kNone);
    total_.push_back(0);
    for (std::vector<double>& sum : sums_) sum.push_back(0);
    return total_.size() - 1;
  }

  void absorb(const StreamToken& token) {
    double kappa = 0;
    for (std::size_t l = 0; l < token.k.size(); ++l)
      if (common_[l]) kappa += token.q[l] * token.k[l];
    kappa *= token.scale;
    const std::size_t c = class_of(token);
    const double x = kappa - max_[c], e = lane_exp(-std::fabs(x)), keep = x > 0 ? e : 1, add = x > 0 ? 1 : e;
    max_[c] = std::max(max_[c], kappa);
    total_[c] = total_[c] * keep + add;
    for (std::size_t y = 0; y < sums_.size(); ++y) sums_[y][c] = sums_[y][c] * keep + add * token.v[y][0];
  }

  void answer(const StreamToken& token, std::vector<Plane>& out) {
    const std::size_t width = token.k.size(), count = total_.size();
    row_.assign(count, 0.0);
    double best = kNone;
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t l = 0; l < width; ++l)
        if (!common_[l]) row_[c] += token.q[l] * keys_[c * width + l];
      row_[c] = row_[c] * token.scale + max_[c];
      best = std::max(best, row_[c]);
    }
    double total = 0;
    for (std::size_t c = 0; c < count; ++c) total += (row_[c] = lane_exp(row_[c] - best)) * total_[c];
    for (std::size_t y = 0; y < out.size(); ++y) {
      double sum = 0;
      for (std::size_t c = 0; c < count; ++c) sum += row_[c] * sums_[y][c];
      out[y][0] = count == 0 ? 0 : sum / total;
    }
  }

  const std::vector<bool> common_;  // by component: the query is the same everywhere
  const bool strict_;
  std::vector<double> keys_, max_, total_, row_;  // by class
  std::vector<std::vector<double>> sums_;         // by value and class
};

}  // namespace

std::unique_ptr<StreamHead> make_candidate_head(std::size_t values, bool strict, int precision) {
  return std::make_unique<CandidateHead>(values, strict, precision);
}

std::unique_ptr<StreamHead> make_class_head(std::size_t values, bool strict, std::vector<bool> common) {
  return std::make_unique<ClassHead>(values, strict, std::move(common));
}

}  // namespace quench::run
