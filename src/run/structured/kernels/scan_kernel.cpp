#include "run/structured/kernels/scan_kernel.h"

#include <limits>

#include "run/structured/kernels/no_subnormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/structured/kernels/scan_kernel.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "run/structured/kernels/lane_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {

/// The sums of the lanes of one vector, kClasses × kValues of them in registers.
template <class T, std::size_t kClasses, std::size_t kValues>
struct Sums {
  V max[kClasses], total[kClasses], values[kClasses][kValues];

  V mark[kClasses];  // of each class

  HWY_INLINE void load_from(const ScanRows<T>& rows, const std::vector<ClassSums>& sums, std::size_t value,
                            std::size_t lane) {
    for (std::size_t c = 0; c < kClasses; ++c) {
      const bool there = c < sums.size();
      if constexpr (kClasses > 1)  // a class that is not there has a mark that is not equal to any
        mark[c] = hn::Set(D(), there ? rows.class_mark[c] : std::numeric_limits<double>::quiet_NaN());
      max[c] = there ? hn::LoadU(D(), sums[c].max + lane) : hn::Set(D(), kNoMax);
      total[c] = there ? hn::LoadU(D(), sums[c].total + lane) : hn::Zero(D());
      for (std::size_t x = 0; x < kValues; ++x)
        values[c][x] = there ? hn::LoadU(D(), sums[c].values.data() + (value + x) * kLanes + lane) : hn::Zero(D());
    }
  }
  template <class Load>
  HWY_INLINE void add_key_of(std::size_t c, V kappa, const Load& value) {
    const V x = hn::Sub(kappa, max[c]), one = hn::Set(D(), 1.0);
    const auto higher = hn::Gt(x, hn::Zero(D()));
    max[c] = hn::Max(max[c], kappa);
    const V e = exponential<T>(minus_size(x));
    const V keep = hn::IfThenElse(higher, e, one), add = hn::IfThenElse(higher, one, e);
    total[c] = hn::MulAdd(total[c], keep, add);
    for (std::size_t y = 0; y < kValues; ++y) values[c][y] = hn::MulAdd(values[c][y], keep, hn::Mul(add, value(y)));
  }

  template <class Load>
  HWY_INLINE void add_key(V kappa, const T* key_mark, const Load& value) {
    if constexpr (kClasses == 1) return add_key_of(0, kappa, value);
    const V which = load(key_mark);
    const auto is = [&](std::size_t c) { return hn::Eq(which, mark[c]); };
    if constexpr (kClasses == 2) {  // a row of one class, as parities have them
      if (hn::AllTrue(D(), is(0))) return add_key_of(0, kappa, value);
      if (hn::AllTrue(D(), is(1))) return add_key_of(1, kappa, value);
    }
    V best = max[0];
    for (std::size_t c = 1; c < kClasses; ++c) best = hn::IfThenElse(is(c), max[c], best);
    const V x = hn::Sub(kappa, best), e = exponential<T>(minus_size(x)), one = hn::Set(D(), 1.0);
    const auto higher = hn::Gt(x, hn::Zero(D()));
    const V keep = hn::IfThenElse(higher, e, one), add = hn::IfThenElse(higher, one, e), raised = hn::Max(best, kappa);
    V added[kValues];
    for (std::size_t y = 0; y < kValues; ++y) added[y] = hn::Mul(add, value(y));
    for (std::size_t c = 0; c < kClasses; ++c) {
      const auto here = is(c);
      max[c] = hn::IfThenElse(here, raised, max[c]);
      total[c] = hn::IfThenElse(here, hn::MulAdd(total[c], keep, add), total[c]);
      for (std::size_t y = 0; y < kValues; ++y)
        values[c][y] = hn::IfThenElse(here, hn::MulAdd(values[c][y], keep, added[y]), values[c][y]);
    }
  }

  /// κ = 0 throughout: the weights are 1.
  template <class Load>
  HWY_INLINE void count_key(const T* key_mark, const Load& value) {
    const V one = hn::Set(D(), 1.0);
    for (std::size_t c = 0; c < kClasses; ++c) {
      const V weight = kClasses == 1 ? one : hn::IfThenElseZero(hn::Eq(load(key_mark), mark[c]), one);
      if constexpr (kClasses > 1) max[c] = hn::IfThenElse(hn::Gt(weight, hn::Zero(D())), hn::Zero(D()), max[c]);
      total[c] = hn::Add(total[c], weight);
      for (std::size_t y = 0; y < kValues; ++y) values[c][y] = hn::MulAdd(weight, value(y), values[c][y]);
    }
  }

  HWY_INLINE void answer(const ScanRows<T>& rows, std::size_t value, std::size_t p) const {
    const auto answer_from = [&](std::size_t c) {
      for (std::size_t y = 0; y < kValues; ++y)
        store_mean(values[c][y], total[c], rows.out[value + y] + p);
    };
    if constexpr (kClasses == 1) return answer_from(0);
    V weight[kClasses];
    if constexpr (kClasses == 2) {
      const V d = hn::Add(hn::Sub(max[1], max[0]), load(rows.offset[0] + p)), one = hn::Set(D(), 1.0);
      if (hn::AllTrue(D(), hn::Lt(d, hn::Set(D(), kLowest<T>)))) return answer_from(0);  // the other weighs nothing
      if (hn::AllTrue(D(), hn::Gt(d, hn::Set(D(), -kLowest<T>)))) return answer_from(1);
      const V e = exponential<T>(minus_size(d));
      const auto higher = hn::Gt(d, hn::Zero(D()));
      weight[0] = hn::IfThenElse(higher, e, one);
      weight[1] = hn::IfThenElse(higher, one, e);
    } else {
      V best = weight[0] = max[0];
      for (std::size_t c = 1; c < kClasses; ++c) {
        weight[c] = c <= rows.offset.size() ? hn::Add(max[c], load(rows.offset[c - 1] + p)) : hn::Set(D(), kNoKey);
        best = hn::Max(best, weight[c]);
      }
      for (std::size_t c = 0; c < kClasses; ++c) weight[c] = exponential<T>(hn::Sub(weight[c], best));
    }
    V all = hn::Mul(weight[0], total[0]);
    for (std::size_t c = 1; c < kClasses; ++c) all = hn::MulAdd(weight[c], total[c], all);
    for (std::size_t y = 0; y < kValues; ++y) {
      V sum = hn::Mul(weight[0], values[0][y]);
      for (std::size_t c = 1; c < kClasses; ++c) sum = hn::MulAdd(weight[c], values[c][y], sum);
      store_mean(sum, all, rows.out[value + y] + p);
    }
  }
};

enum class Task { scan, ask };

template <class T, std::size_t kClasses, std::size_t kValues, bool kFlat, Task kTask>
void run_lanes(const ScanRows<T>& rows, const std::vector<ClassSums>& before, std::size_t value) {
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(D())) {
    Sums<T, kClasses, kValues> sums;
    sums.load_from(rows, before, value, lane);
    const T* v[kValues];
    for (std::size_t y = 0; y < kValues; ++y) v[y] = rows.v[value + y];
    for (std::size_t step = 0; step < rows.steps; ++step) {
      const std::size_t p = (rows.backwards ? rows.steps - 1 - step : step) * kLanes + lane;
      if constexpr (kTask == Task::ask) {
        sums.answer(rows, value, p);
      } else {
        if (rows.strict) sums.answer(rows, value, p);
        const auto value_at = [&](std::size_t y) { return load(v[y] + p); };
        const T* key_mark = kClasses == 1 ? nullptr : rows.mark + p;
        if constexpr (kFlat)
          sums.count_key(key_mark, value_at);
        else
          sums.add_key(load(rows.kappa + p), key_mark, value_at);
        if (!rows.strict) sums.answer(rows, value, p);
      }
    }
  }
}

template <class T, std::size_t kClasses, std::size_t kValues, Task kTask>
void run_values(const ScanRows<T>& rows, const std::vector<ClassSums>& before, std::size_t value) {
  if (kTask == Task::scan && rows.kappa == nullptr)
    run_lanes<T, kClasses, kValues, true, kTask>(rows, before, value);
  else
    run_lanes<T, kClasses, kValues, false, kTask>(rows, before, value);
}

/// Values go through one, two or four at a time: the exponentials are the same for all of them.
template <class T, std::size_t kClasses, Task kTask>
void run_classes(const ScanRows<T>& rows, const std::vector<ClassSums>& before) {
  for (std::size_t value = 0; value < rows.v.size();) {
    const std::size_t left = rows.v.size() - value;
    if (kClasses <= 2 && left >= 4) {
      run_values<T, kClasses, 4, kTask>(rows, before, value);
      value += 4;
    } else if (kClasses <= 2 && left >= 2) {
      run_values<T, kClasses, 2, kTask>(rows, before, value);
      value += 2;
    } else {
      run_values<T, kClasses, 1, kTask>(rows, before, value);
      value += 1;
    }
  }
}

template <class T, Task kTask>
void run_task(const ScanRows<T>& rows, const std::vector<ClassSums>& before) {
  if (before.size() == 1) return run_classes<T, 1, kTask>(rows, before);
  if (before.size() == 2) return run_classes<T, 2, kTask>(rows, before);
  run_classes<T, kMostScanClasses, kTask>(rows, before);
}

template <class T, std::size_t kClasses, std::size_t kValues>
void follow_lanes(const ScanRows<T>& rows, std::span<const ScanStep> steps, std::size_t value) {
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(D())) {
    V sums[kClasses][kValues];
    for (auto& sums_of_class : sums)
      for (V& sum : sums_of_class) sum = hn::Zero(D());
    for (std::size_t t = 0; t < rows.steps; ++t) {
      const ScanStep& step = steps[t];
      const std::size_t p = (rows.backwards ? rows.steps - 1 - t : t) * kLanes + lane;
      const V keep = hn::Set(D(), step.keep), add = hn::Set(D(), step.add);
      const auto add_key = [&] {
        for (std::size_t c = 0; c < kClasses; ++c)
          if (kClasses == 1 || c == step.into)
            for (std::size_t y = 0; y < kValues; ++y)
              sums[c][y] = hn::MulAdd(sums[c][y], keep, hn::Mul(add, load(rows.v[value + y] + p)));
      };
      if (!rows.strict) add_key();
      for (std::size_t y = 0; y < kValues; ++y) {
        V sum = sums[0][y];
        if constexpr (kClasses > 1) {
          sum = hn::Mul(sum, hn::Set(D(), step.weight[0]));
          for (std::size_t c = 1; c < kClasses; ++c) sum = hn::MulAdd(sums[c][y], hn::Set(D(), step.weight[c]), sum);
        }
        store_mean(sum, hn::Set(D(), step.total), rows.out[value + y] + p);
      }
      if (rows.strict) add_key();
    }
  }
}

template <class T, std::size_t kClasses>
void follow(const ScanRows<T>& rows, std::span<const ScanStep> steps) {
  for (std::size_t value = 0; value < rows.v.size();) {
    const bool two = value + 1 < rows.v.size();
    two ? follow_lanes<T, kClasses, 2>(rows, steps, value) : follow_lanes<T, kClasses, 1>(rows, steps, value);
    value += two ? 2 : 1;
  }
}

/// Keys without queries: first the greatest scores, then the weights that count beside them.
template <class T, std::size_t kClasses>
void sum_keys(const ScanRows<T>& rows, double cutoff, std::vector<ClassSums>& sums) {
  const D d;
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const auto is = [&](std::size_t p, std::size_t c) {
    return hn::Eq(load(rows.mark + p), hn::Set(d, rows.class_mark[c]));
  };
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    V max[kClasses];
    for (V& m : max) m = hn::Set(d, kNoMax);
    for (std::size_t p = lane; p < rows.steps * kLanes; p += kLanes) {
      const V kappa = rows.kappa ? load(rows.kappa + p) : zero;
      if constexpr (kClasses == 1)
        max[0] = hn::Max(max[0], kappa);
      else
        for (std::size_t c = 0; c < sums.size(); ++c) max[c] = hn::IfThenElse(is(p, c), hn::Max(max[c], kappa), max[c]);
    }
    for (std::size_t y = 0; y < rows.v.size(); ++y) {
      V total[kClasses], sum[kClasses];
      for (std::size_t c = 0; c < kClasses; ++c) total[c] = sum[c] = zero;
      for (std::size_t p = lane; p < rows.steps * kLanes; p += kLanes) {
        V best = max[0];
        if constexpr (kClasses > 1)
          for (std::size_t c = 1; c < sums.size(); ++c) best = hn::IfThenElse(is(p, c), max[c], best);
        V weight = one;
        if (rows.kappa) {
          const V x = hn::Sub(load(rows.kappa + p), best);
          const auto ties = hn::Eq(x, zero), counts = hn::Ge(x, hn::Set(d, -cutoff));
          if (hn::AllFalse(d, counts)) continue;
          weight = hn::AllTrue(d, hn::Or(ties, hn::Not(counts))) ? hn::IfThenElseZero(ties, one) : exponential<T>(x);
        }
        const V value = hn::Mul(weight, load(rows.v[y] + p));
        for (std::size_t c = 0; c < (kClasses == 1 ? 1 : sums.size()); ++c) {
          total[c] = hn::Add(total[c], kClasses == 1 ? weight : hn::IfThenElseZero(is(p, c), weight));
          sum[c] = hn::Add(sum[c], kClasses == 1 ? value : hn::IfThenElseZero(is(p, c), value));
        }
      }
      for (std::size_t c = 0; c < sums.size(); ++c) {
        hn::StoreU(sum[c], d, sums[c].values.data() + y * kLanes + lane);
        hn::StoreU(total[c], d, sums[c].total + lane);
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) hn::StoreU(max[c], d, sums[c].max + lane);
  }
}

template <class T>
bool each_among(const T* x, std::span<const T> values, std::size_t count) {
  const hn::CappedTag<T, kLanes> d;
  for (std::size_t p = 0; p < count; p += hn::Lanes(d)) {
    const auto here = hn::LoadU(d, x + p);
    auto known = hn::Eq(here, hn::Set(d, values[0]));
    for (std::size_t c = 1; c < values.size(); ++c) known = hn::Or(known, hn::Eq(here, hn::Set(d, values[c])));
    if (!hn::AllTrue(d, known)) return false;
  }
  return true;
}

template <class T>
bool weigh_components(std::span<const T* const> x, std::span<const double> weight, double factor, std::size_t count,
                      double* score) {
  const D d;
  const V times = hn::Set(d, factor), zero = hn::Zero(d);
  constexpr std::size_t kVectors = kLanes / hn::MaxLanes(D());
  V bad[kVectors];  // NaN once a score is not finite
  for (V& y : bad) y = zero;
  for (std::size_t p = 0; p < count; p += kLanes) {
    V sum[kVectors];
    for (V& y : sum) y = zero;
    for (std::size_t l = 0; l < x.size(); ++l) {
      const T* from = x[l] + p;
      const V by = hn::Set(d, weight[l]);
      for (std::size_t y = 0; y < kVectors; ++y) sum[y] = hn::MulAdd(by, load(from + y * hn::Lanes(d)), sum[y]);
    }
    for (std::size_t y = 0; y < kVectors; ++y) {
      sum[y] = hn::Mul(sum[y], times);
      bad[y] = hn::MulAdd(sum[y], zero, bad[y]);
      hn::StoreU(sum[y], d, score + p + y * hn::Lanes(d));
    }
  }
  V all = zero;
  for (const V& y : bad) all = hn::Add(all, y);
  return hn::AllTrue(d, hn::Eq(all, zero));
}

}  // namespace

// Highway dispatches plain functions, not templates.
#define QUENCH_SCAN_TASKS(T, Bits)                                                                                    \
  void Add##Bits(const ScanRows<T>& rows, double cutoff, std::vector<ClassSums>& sums) {                              \
    if (sums.size() == 1) return sum_keys<T, 1>(rows, cutoff, sums);                                                  \
    if (sums.size() == 2) return sum_keys<T, 2>(rows, cutoff, sums);                                                  \
    sum_keys<T, kMostScanClasses>(rows, cutoff, sums);                                                                \
  }                                                                                                                   \
  void Scan##Bits(const ScanRows<T>& rows, const std::vector<ClassSums>& before) {                                    \
    run_task<T, Task::scan>(rows, before);                                                                            \
  }                                                                                                                   \
  void Follow##Bits(const ScanRows<T>& rows, std::span<const ScanStep> steps, std::size_t classes) {                  \
    if (classes == 1) return follow<T, 1>(rows, steps);                                                               \
    if (classes == 2) return follow<T, 2>(rows, steps);                                                               \
    follow<T, kMostScanClasses>(rows, steps);                                                                         \
  }                                                                                                                   \
  void Ask##Bits(const ScanRows<T>& rows, const std::vector<ClassSums>& sums) { run_task<T, Task::ask>(rows, sums); } \
  bool Among##Bits(const T* x, std::span<const T> values, std::size_t count) { return each_among(x, values, count); } \
  bool Scores##Bits(std::span<const T* const> x, std::span<const double> weight, double factor, std::size_t count,    \
                    double* score) {                                                                                  \
    return weigh_components(x, weight, factor, count, score);                                                         \
  }

QUENCH_SCAN_TASKS(float, 32)
QUENCH_SCAN_TASKS(double, 64)
#undef QUENCH_SCAN_TASKS

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

#define QUENCH_SCAN_EXPORTS(T, Bits)                                                                              \
  HWY_EXPORT(Add##Bits);                                                                                          \
  HWY_EXPORT(Scan##Bits);                                                                                         \
  HWY_EXPORT(Follow##Bits);                                                                                       \
  HWY_EXPORT(Ask##Bits);                                                                                          \
  HWY_EXPORT(Among##Bits);                                                                                        \
  HWY_EXPORT(Scores##Bits);                                                                                       \
  template <>                                                                                                     \
  void add_keys(const ScanRows<T>& rows, double cutoff, std::vector<ClassSums>& sums) {                           \
    const NoSubnormals guard;                                                                                     \
    HWY_DYNAMIC_DISPATCH(Add##Bits)(rows, cutoff, sums);                                                          \
  }                                                                                                               \
  template <>                                                                                                     \
  void scan_keys(const ScanRows<T>& rows, const std::vector<ClassSums>& before) {                                 \
    const NoSubnormals guard;                                                                                     \
    HWY_DYNAMIC_DISPATCH(Scan##Bits)(rows, before);                                                               \
  }                                                                                                               \
  template <>                                                                                                     \
  void follow_steps(const ScanRows<T>& rows, std::span<const ScanStep> steps, std::size_t classes) {              \
    const NoSubnormals guard;                                                                                     \
    HWY_DYNAMIC_DISPATCH(Follow##Bits)(rows, steps, classes);                                                     \
  }                                                                                                               \
  template <>                                                                                                     \
  void ask_queries(const ScanRows<T>& rows, const std::vector<ClassSums>& sums) {                                 \
    const NoSubnormals guard;                                                                                     \
    HWY_DYNAMIC_DISPATCH(Ask##Bits)(rows, sums);                                                                  \
  }                                                                                                               \
  template <>                                                                                                     \
  bool all_among(const T* x, std::span<const T> values, std::size_t count) {                                      \
    return HWY_DYNAMIC_DISPATCH(Among##Bits)(x, values, count);                                                   \
  }                                                                                                               \
  template <>                                                                                                     \
  bool make_scores(std::span<const T* const> x, std::span<const double> weight, double factor, std::size_t count, \
                   double* score) {                                                                               \
    return HWY_DYNAMIC_DISPATCH(Scores##Bits)(x, weight, factor, count, score);                                   \
  }

QUENCH_SCAN_EXPORTS(float, 32)
QUENCH_SCAN_EXPORTS(double, 64)
#undef QUENCH_SCAN_EXPORTS

}  // namespace quench::run
#endif  // HWY_ONCE
