#include "attention/score/score.h"

#include <cmath>
#include <string>

#include "attention/score/product.h"
#include "base/error.h"
#include "base/overloaded.h"

namespace quench::attention {

namespace {

void require_width(std::size_t have, std::size_t need, const char* what) {
  if (have != need)
    throw UserError(std::string(what) + " has width " + std::to_string(have) + ", not " + std::to_string(need));
}

class DotPass : public ScorePass {
 public:
  DotPass(double scale, Rows<const double> keys) : scale_(scale), keys_(keys), d_keys_(keys.rows, keys.cols) {}

  void row(std::span<const double> q, std::span<const std::size_t> visible, std::span<double> scores) override {
    for (std::size_t t = 0; t < visible.size(); ++t) scores[t] = scale_ * dot(q, keys_[visible[t]]);
  }
  void row_backward(std::span<const double> q, std::span<const std::size_t> visible, std::span<const double> d_scores,
                    std::span<double> d_q) override {
    for (std::size_t t = 0; t < visible.size(); ++t) {
      add_scaled(scale_ * d_scores[t], keys_[visible[t]], d_q);
      add_scaled(scale_ * d_scores[t], q, Rows<double>(d_keys_)[visible[t]]);
    }
  }
  void finish(Rows<double> d_keys, Score&) override { add(d_keys_, d_keys); }

 private:
  double scale_;
  Rows<const double> keys_;
  Matrix d_keys_;
};

// (Wᵀq)·k: the bilinear score is a dot product once the query has been mapped to the keys' space.
class GeneralPass : public ScorePass {
 public:
  GeneralPass(const General& score, Rows<const double> keys)
      : w_(score.w), dot_(1, keys), d_w_(score.w.rows, score.w.cols), mapped_(keys.cols), d_mapped_(keys.cols) {}

  void row(std::span<const double> q, std::span<const std::size_t> visible, std::span<double> scores) override {
    map_query(q);
    dot_.row(mapped_, visible, scores);
  }
  void row_backward(std::span<const double> q, std::span<const std::size_t> visible, std::span<const double> d_scores,
                    std::span<double> d_q) override {
    map_query(q);
    std::ranges::fill(d_mapped_, 0.0);
    dot_.row_backward(mapped_, visible, d_scores, d_mapped_);
    for (std::size_t r = 0; r < w_.rows; ++r) {
      d_q[r] += dot(w_[r], d_mapped_);
      add_scaled(q[r], d_mapped_, Rows<double>(d_w_)[r]);
    }
  }
  void finish(Rows<double> d_keys, Score& d_score) override {
    dot_.finish(d_keys, d_score);
    add(d_w_, std::get<General>(d_score).w);
  }

 private:
  void map_query(std::span<const double> q) {
    std::ranges::fill(mapped_, 0.0);
    for (std::size_t r = 0; r < w_.rows; ++r) add_scaled(q[r], w_[r], mapped_);
  }
  Rows<const double> w_;
  DotPass dot_;
  Matrix d_w_;
  std::vector<double> mapped_, d_mapped_;
};

class AdditivePass : public ScorePass {
 public:
  AdditivePass(const Additive& score, Rows<const double> keys)
      : score_(score),
        keys_(keys),
        keyed_(product_transposed(keys, score.w_k)),
        d_keyed_(keyed_.rows, keyed_.cols),
        d_score_(std::get<Additive>(zero_like(score))),
        asked_(score.v.size()),
        d_asked_(score.v.size()) {}

  void row(std::span<const double> q, std::span<const std::size_t> visible, std::span<double> scores) override {
    ask(q);
    for (std::size_t t = 0; t < visible.size(); ++t) {
      const auto key = Rows<const double>(keyed_)[visible[t]];
      scores[t] = 0;
      for (std::size_t a = 0; a < asked_.size(); ++a) scores[t] += score_.v[a] * std::tanh(asked_[a] + key[a]);
    }
  }
  void row_backward(std::span<const double> q, std::span<const std::size_t> visible, std::span<const double> d_scores,
                    std::span<double> d_q) override {
    ask(q);
    std::ranges::fill(d_asked_, 0.0);
    for (std::size_t t = 0; t < visible.size(); ++t) pair_backward(visible[t], d_scores[t]);
    for (std::size_t a = 0; a < asked_.size(); ++a) {
      add_scaled(d_asked_[a], Rows<const double>(score_.w_q)[a], d_q);
      add_scaled(d_asked_[a], q, Rows<double>(d_score_.w_q)[a]);
      d_score_.b[a] += d_asked_[a];
    }
  }
  void finish(Rows<double> d_keys, Score& d_score) override {
    add(product(d_keyed_, score_.w_k), d_keys);              // m × a · a × d_k
    add(transposed_product(d_keyed_, keys_), d_score_.w_k);  // a × m · m × d_k
    auto& total = std::get<Additive>(d_score);
    add(d_score_.w_q, total.w_q);
    add(d_score_.w_k, total.w_k);
    add_scaled(1, d_score_.v, total.v);
    add_scaled(1, d_score_.b, total.b);
  }

 private:
  void ask(std::span<const double> q) {
    for (std::size_t a = 0; a < asked_.size(); ++a) asked_[a] = dot(Rows<const double>(score_.w_q)[a], q) + score_.b[a];
  }
  void pair_backward(std::size_t j, double d) {
    const auto key = Rows<const double>(keyed_)[j];
    for (std::size_t a = 0; a < asked_.size(); ++a) {
      const double h = std::tanh(asked_[a] + key[a]), d_inside = d * score_.v[a] * (1 - h * h);
      d_score_.v[a] += d * h;
      d_asked_[a] += d_inside;
      d_keyed_(j, a) += d_inside;
    }
  }
  const Additive& score_;
  Rows<const double> keys_;
  Matrix keyed_, d_keyed_;  // W_k k_j, m × a
  Additive d_score_;
  std::vector<double> asked_, d_asked_;  // W_q q + b
};

class CosinePass : public ScorePass {
 public:
  CosinePass(const Cosine& score, Rows<const double> keys)
      : scale_(score.scale), unit_keys_(keys.rows, keys.cols), d_unit_keys_(keys.rows, keys.cols), norms_(keys.rows) {
    for (std::size_t j = 0; j < keys.rows; ++j) norms_[j] = unit(keys[j], Rows<double>(unit_keys_)[j]);
  }

  void row(std::span<const double> q, std::span<const std::size_t> visible, std::span<double> scores) override {
    unit_q_.resize(q.size());
    unit(q, unit_q_);
    for (std::size_t t = 0; t < visible.size(); ++t)
      scores[t] = scale_ * dot(unit_q_, Rows<const double>(unit_keys_)[visible[t]]);
  }
  void row_backward(std::span<const double> q, std::span<const std::size_t> visible, std::span<const double> d_scores,
                    std::span<double> d_q) override {
    unit_q_.resize(q.size());
    d_unit_q_.assign(q.size(), 0.0);
    const double norm = unit(q, unit_q_);
    for (std::size_t t = 0; t < visible.size(); ++t) {
      const auto key = Rows<const double>(unit_keys_)[visible[t]];
      d_scale_ += d_scores[t] * dot(unit_q_, key);
      add_scaled(scale_ * d_scores[t], key, d_unit_q_);
      add_scaled(scale_ * d_scores[t], unit_q_, Rows<double>(d_unit_keys_)[visible[t]]);
    }
    unit_backward(unit_q_, norm, d_unit_q_, d_q);
  }
  void finish(Rows<double> d_keys, Score& d_score) override {
    for (std::size_t j = 0; j < norms_.size(); ++j)
      unit_backward(Rows<const double>(unit_keys_)[j], norms_[j], Rows<const double>(d_unit_keys_)[j], d_keys[j]);
    std::get<Cosine>(d_score).scale += d_scale_;
  }

 private:
  double scale_, d_scale_ = 0;
  Matrix unit_keys_, d_unit_keys_;
  std::vector<double> norms_, unit_q_, d_unit_q_;
};

void check_shapes(const Additive& score, std::size_t query_width, std::size_t key_width) {
  require_width(score.w_q.cols, query_width, "W_q of the additive score");
  require_width(score.w_k.cols, key_width, "W_k of the additive score");
  const std::size_t hidden = score.v.size();
  if (score.w_q.rows != hidden || score.w_k.rows != hidden || score.b.size() != hidden)
    throw UserError("W_q, W_k, v and b of an additive score must agree on the hidden width");
}

}  // namespace

Score zero_like(const Score& score) {
  return std::visit(
      Overloaded{[](const Dot&) -> Score { return Dot{}; }, [](const ScaledDot&) -> Score { return ScaledDot{}; },
                 [](const General& s) -> Score { return General{Matrix(s.w.rows, s.w.cols)}; },
                 [](const Additive& s) -> Score {
                   return Additive{Matrix(s.w_q.rows, s.w_q.cols), Matrix(s.w_k.rows, s.w_k.cols),
                                   std::vector<double>(s.v.size()), std::vector<double>(s.b.size())};
                 },
                 [](const Cosine&) -> Score { return Cosine{0}; }},
      score);
}

std::unique_ptr<ScorePass> begin_pass(const Score& score, Rows<const double> keys, std::size_t query_width) {
  using Pass = std::unique_ptr<ScorePass>;
  const double root = std::sqrt(static_cast<double>(keys.cols));
  return std::visit(Overloaded{[&](const Dot&) -> Pass {
                                 require_width(query_width, keys.cols, "the query");
                                 return std::make_unique<DotPass>(1, keys);
                               },
                               [&](const ScaledDot&) -> Pass {
                                 require_width(query_width, keys.cols, "the query");
                                 return std::make_unique<DotPass>(1 / root, keys);
                               },
                               [&](const General& s) -> Pass {
                                 require_width(s.w.rows, query_width, "Wᵀ of the general score");
                                 require_width(s.w.cols, keys.cols, "W of the general score");
                                 return std::make_unique<GeneralPass>(s, keys);
                               },
                               [&](const Additive& s) -> Pass {
                                 check_shapes(s, query_width, keys.cols);
                                 return std::make_unique<AdditivePass>(s, keys);
                               },
                               [&](const Cosine& s) -> Pass {
                                 require_width(query_width, keys.cols, "the query");
                                 return std::make_unique<CosinePass>(s, keys);
                               }},
                    score);
}

}  // namespace quench::attention
