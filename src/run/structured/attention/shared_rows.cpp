#include "run/structured/attention/shared_rows.h"

#include <algorithm>

namespace quench::run {

namespace {

constexpr std::size_t kFewestTerms = 3;  // fewer are summed as soon as read

/// Calls work(row, which one to note) for every row of the layers' heads.
template <class T, class Heads, class Work>
void for_rows(const std::vector<LayerRows<T>>& layers, Heads& heads, const Work& work) {
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (std::size_t h = 0; h < layers[l].heads.size(); ++h) {
      const typename LayerRows<T>::Head& head = layers[l].heads[h];
      const SumRows<T>* of[] = {&head.q, &head.k, &head.v};
      for (std::size_t x = 0; x < 3; ++x)
        for (std::size_t r = 0; r < of[x]->rows.size(); ++r) work(*of[x], r, heads[l][h].which[x][r]);
    }
}

}  // namespace

template <class T>
SharedRows<T>::SharedRows(const std::vector<LayerRows<T>>& layers, const std::vector<bool>& steady) {
  for (const LayerRows<T>& layer : layers) {
    heads_.emplace_back(layer.heads.size());
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const SumRows<T>* of[] = {&layer.heads[h].q, &layer.heads[h].k, &layer.heads[h].v};
      for (std::size_t x = 0; x < 3; ++x) heads_.back()[h].which[x].assign(of[x]->rows.size(), kNone);
    }
  }
  std::vector<std::vector<Term<T>>> met;
  std::vector<std::uint32_t*> first;  // where the first one is noted, until it is shared
  for_rows(layers, heads_, [&](const SumRows<T>& rows, std::size_t r, std::uint32_t& which) {
    const std::vector<Term<T>> terms(rows.terms.begin() + rows.rows[r].first, rows.terms.begin() + rows.rows[r].last);
    const auto is_steady = [&](const Term<T>& term) { return steady[term.column]; };
    if (terms.size() < kFewestTerms || !std::ranges::all_of(terms, is_steady)) return;
    const auto same = static_cast<std::size_t>(std::ranges::find(met, terms) - met.begin());
    if (same == met.size()) {
      met.push_back(terms);
      first.push_back(&which);
      return;
    }
    if (*first[same] == kNone) {
      *first[same] = static_cast<std::uint32_t>(rows_.rows.size());
      const auto begin = static_cast<std::uint32_t>(rows_.terms.size());
      rows_.terms.insert(rows_.terms.end(), terms.begin(), terms.end());
      rows_.rows.push_back({*first[same], begin, static_cast<std::uint32_t>(rows_.terms.size())});
      rows_.exact.push_back(rows.exact[r]);
    }
    which = *first[same];
  });
  summed_.assign(steady.size(), false);
  read_.assign(steady.size(), false);
  for (const Term<T>& term : rows_.terms) summed_[term.column] = true;
  for_rows(layers, heads_, [&](const SumRows<T>& rows, std::size_t r, std::uint32_t which) {
    if (which != kNone) return;
    for (std::uint32_t t = rows.rows[r].first; t < rows.rows[r].last; ++t) read_[rows.terms[t].column] = true;
  });
  for (const LayerRows<T>& layer : layers)
    for (const Term<T>& term : layer.hidden.terms) read_[term.column] = true;
}

template class SharedRows<float>;
template class SharedRows<double>;

}  // namespace quench::run
