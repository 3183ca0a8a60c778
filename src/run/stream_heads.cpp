#include "run/stream_heads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/candidate_list.h"
#include "run/lane_exp.h"

namespace quench::run {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

double score(const StreamToken& token) {
  double sum = 0;
  for (std::size_t l = 0; l < token.q.size(); ++l) sum += token.q[l] * token.k[l];
  return sum * token.scale;
}

/// Queries that are the same everywhere: the online softmax of head_classes.cpp.
class ScanHead : public StreamHead {
 public:
  ScanHead(std::size_t values, bool strict) : sums_(values), strict_(strict) {}
  void clear() override {
    max_ = kNone;
    total_ = 0;
    std::fill(sums_.begin(), sums_.end(), 0.0);
  }
  void step(const StreamToken& token, std::vector<Plane>& out) override {
    if (strict_) answer(out);
    absorb(score(token), token.v);
    if (!strict_) answer(out);
  }
  bool constant_state() const override { return true; }

 private:
  void absorb(double kappa, const std::vector<Plane>& v) {
    const double x = kappa - max_, e = lane_exp(-std::fabs(x)), keep = x > 0 ? e : 1, add = x > 0 ? 1 : e;
    max_ = std::max(max_, kappa);
    total_ = total_ * keep + add;
    for (std::size_t y = 0; y < v.size(); ++y) sums_[y] = sums_[y] * keep + add * v[y][0];
  }
  void answer(std::vector<Plane>& out) const {
    for (std::size_t y = 0; y < out.size(); ++y) out[y][0] = total_ == 0 ? 0 : sums_[y] / total_;
  }
  double max_ = kNone, total_ = 0;
  std::vector<double> sums_;
  const bool strict_;
};

/// One component, t = scale·q ≥ 0 that never falls (run/stream.cpp makes sure).
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

/// Every key is kept; a row is formed as the definition says.
class WholeHead : public StreamHead {
 public:
  WholeHead(std::size_t values, bool strict) : v_(values), strict_(strict) {}
  void clear() override {
    k_.clear();
    for (Plane& plane : v_) plane.clear();
  }
  void step(const StreamToken& token, std::vector<Plane>& out) override {
    if (strict_) answer(token, out);
    k_.insert(k_.end(), token.k.begin(), token.k.end());
    for (std::size_t y = 0; y < v_.size(); ++y) v_[y].push_back(token.v[y][0]);
    if (!strict_) answer(token, out);
  }
  bool constant_state() const override { return false; }

 private:
  void answer(const StreamToken& token, std::vector<Plane>& out) {
    const std::size_t components = token.q.size(), count = v_.empty() ? 0 : v_[0].size();
    row_.assign(count, 0.0);
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t l = 0; l < components; ++l) row_[j] += token.q[l] * k_[j * components + l];
      row_[j] *= token.scale;
    }
    const double best = count == 0 ? 0 : *std::max_element(row_.begin(), row_.end());
    double total = 0;
    for (double& s : row_) total += (s = lane_exp(s - best));
    for (std::size_t y = 0; y < out.size(); ++y) {
      double sum = 0;
      for (std::size_t j = 0; j < count; ++j) sum += row_[j] * v_[y][j];
      out[y][0] = count == 0 ? 0 : sum / total;
    }
  }
  std::vector<double> k_, row_;
  std::vector<Plane> v_;
  const bool strict_;
};

}  // namespace

std::unique_ptr<StreamHead> make_stream_head(StreamMethod method, std::size_t values, bool strict, int precision) {
  switch (method) {
    case StreamMethod::scan:
      return std::make_unique<ScanHead>(values, strict);
    case StreamMethod::candidates:
      return std::make_unique<CandidateHead>(values, strict, precision);
    case StreamMethod::all:
      break;
  }
  return std::make_unique<WholeHead>(values, strict);
}

}  // namespace quench::run
