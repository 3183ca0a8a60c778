// How keys of two ranks weigh, worked out once for all words (kernels/rank_kernel.h).
#include <algorithm>
#include <cmath>

#include "run/structured/kernels/rank_kernel.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

template <class T>
std::optional<Ranks<T>> make_ranks(const std::vector<double>& of_zero, const std::vector<double>& of_one) {
  const std::size_t n = of_zero.size();
  const bool one_is_high = of_one[0] > of_zero[0];
  const std::vector<double>&high = one_is_high ? of_one : of_zero, &low = one_is_high ? of_zero : of_one;
  const bool apart = high.front() - low.back() >= negligible(sizeof(T) == 4 ? 24 : 53, n);
  if (!apart || !std::ranges::is_sorted(low) || !std::ranges::is_sorted(high)) return std::nullopt;
  Ranks<T> ranks;
  ranks.high = one_is_high ? T{1} : T{0};
  ranks.sharp = ranks.flat = true;
  const auto factors = [&](const std::vector<double>& kappa) {
    std::vector<T> keep(n);
    for (std::size_t t = 1; t < n; ++t) {
      keep[t] = static_cast<T>(std::exp(kappa[t - 1] - kappa[t]));
      ranks.sharp = ranks.sharp && keep[t] <= T{0x1p-22};
      ranks.flat = ranks.flat && keep[t] == 1;
    }
    return keep;
  };
  ranks.keep_high = factors(high);
  ranks.keep_low = factors(low);
  if (!ranks.sharp && !ranks.flat) return std::nullopt;
  return ranks;
}

template std::optional<Ranks<float>> make_ranks(const std::vector<double>&, const std::vector<double>&);
template std::optional<Ranks<double>> make_ranks(const std::vector<double>&, const std::vector<double>&);

}  // namespace quench::run
