// Heads whose sharpness grows with the query: s_ij = t_i·κ_j, such as γi²(S_j − 1/j) [P-L8a].
//
// The scan keeps a list of candidates. Let M_i = max_{visible j} κ_j. A key with t_i(M_i − κ_j) > T, T the cutoff of
// negligible(), weighs less than e^{−T} of the row's best. In the order of the scan M_i never falls (more keys become
// visible) and neither, we check, does t_i ≥ 0: so such a key is negligible for ever, and is dropped. What is dropped
// is at most n·e^{−T} of a row's total: below its rounding.
//
// How long the list gets: with κ_j = S_j − 1/j and t_i = γi², the keys with S = 1 that survive have
// 1/j − 1/i ≤ T/γi², that is i − j ≤ T/γ + O(1): about 17 keys for γ = 3 and n = 10^6. Short prefixes keep all of
// theirs, which is the dense start such heads need. Equal κ in a row (float32 runs out of 1/j's) are one candidate with
// a count.
#include <algorithm>
#include <cmath>

#include "run/candidate_list.h"
#include "run/head_work.h"

namespace quench::run {

namespace {

constexpr std::size_t kLongestList = 1024;

/// t_i·κ_j as one component, or nothing.
struct RankOne {
  Plane t, kappa;
};

/// Folds components whose queries are multiples of the first one's: q_l(i) = c_l q_0(i) for all i.
std::optional<RankOne> rank_one(const HeadWork& work) {
  if (work.q.empty()) return std::nullopt;
  RankOne result{work.q[0], work.k[0]};
  for (std::size_t l = 1; l < work.q.size(); ++l) {
    if (result.t[0] == 0) return std::nullopt;
    const double factor = work.q[l][0] / result.t[0];
    for (std::size_t p = 0; p < work.size(); ++p)
      if (work.q[l][p] != factor * result.t[p]) return std::nullopt;
    for (std::size_t p = 0; p < work.size(); ++p) result.kappa[p] += factor * work.k[l][p];
  }
  for (std::size_t i = 0; i < work.n; ++i)
    for (std::size_t w = 0; w < work.lanes; ++w) result.t[i * work.lanes + w] *= work.scale[i];
  return result;
}

bool rises(const HeadWork& work, const RankOne& head, const ScanOrder& order) {
  for (std::size_t w = 0; w < work.lanes; ++w) {
    double before = 0;
    for (std::size_t step = 0; step < work.n; ++step) {
      const double t = head.t[order.at(step, work.n) * work.lanes + w];
      if (!(t >= before)) return false;
      before = t;
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> run_by_candidates(HeadWork& work) {
  const ScanOrder order(work.mask);
  if (!order.masked) return "an unmasked head whose scores change scale from query to query";
  const std::optional<RankOne> head = rank_one(work);
  if (!head) return "queries in more than one direction";
  if (!all_finite(head->t) || !all_finite(head->kappa) || !values_are_finite(work))
    return "numbers that are not finite";
  if (!rises(work, *head, order)) return "sharpness that falls from one query to the next";
  CandidateList list(work.v.size(), negligible(work));
  for (std::size_t w = 0; w < work.lanes; ++w) {
    list.clear();
    for (std::size_t step = 0; step < work.n; ++step) {
      const std::size_t p = order.at(step, work.n) * work.lanes + w;
      if (order.strict) list.answer(head->t[p], work.out, p);
      list.add(head->t[p], head->kappa[p], work.v, p);
      if (!order.strict) list.answer(head->t[p], work.out, p);
      if (list.size() > kLongestList) return "more than 1024 keys compete for a query";
    }
  }
  return std::nullopt;
}

}  // namespace quench::run
