// The keys that still matter to the queries of one word, when scores t_i·κ_j have t_i ≥ 0 that never falls: the
// derivation is in candidates_of_a_word.cpp. Used there for whole words and by the stream executor token by token.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "run/structured/methods/head_work.h"

namespace quench::run {

/// A structure of arrays. Neighbouring keys with equal κ are one candidate with a count.
class CandidateList {
 public:
  CandidateList(std::size_t values, double cutoff) : cutoff_(cutoff), sums_(values) { grow(64); }

  void clear() {
    size_ = 0;
    best_ = -std::numeric_limits<double>::infinity();
  }
  std::size_t size() const { return size_; }

  /// Key p of the planes; negligible ones are not taken up at all.
  void add(double t, double kappa, const std::vector<Plane>& v, std::size_t p);
  /// The row of a query with factor t into out[·][p]; drops what has become negligible. An empty list gives 0.
  void answer(double t, std::vector<Plane>& out, std::size_t p);

 private:
  std::size_t pad();
  void compact();
  void grow(std::size_t size);

  double cutoff_;
  std::size_t size_ = 0;
  double best_ = -std::numeric_limits<double>::infinity();
  std::vector<double> kappa_, count_, weight_;
  std::vector<std::vector<double>> sums_;
};

}  // namespace quench::run
