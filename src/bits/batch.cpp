#include "bits/batch.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/overloaded.h"
#include "bits/slice_operators.h"
#include "oracle/evaluate.h"

namespace quench::bits {
namespace {

// Measured on formulas of 1, 2 and 10 operators. 512 words of length 20 take 5–20 times as long one at a time, of
// length 100 5–10 times, of length 400 1.4–3 times; from 1,000 on the two meet, as reading the symbols takes most of
// the time and slices leave the cache. A group costs about the same however few its words are: at length 5 that of some
// 10 words one at a time, at length 100 of 20, at length 400 of 80.
constexpr std::size_t kLongest = 1024;
bool worth_slicing(std::size_t words, std::size_t longest) { return longest <= kLongest && words > 8 + longest / 5; }

/// The words in order of their lengths; those beyond kLongest come last.
std::vector<std::size_t> by_length(std::span<const Text> words) {
  std::vector<std::size_t> place(kLongest + 3), order(words.size());
  const auto length = [&](std::size_t w) { return std::min(words[w].size(), kLongest + 1); };
  for (std::size_t w = 0; w < words.size(); ++w) ++place[length(w) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  for (std::size_t w = 0; w < words.size(); ++w) order[place[length(w)]++] = w;
  return order;
}

/// A buffer for every node, handed on when its last reader is done. Symbols are read before everything else and so hold
/// theirs from the start.
std::vector<std::size_t> assign_buffers(const lang::Formula& formula, const std::vector<bool>& needed,
                                        std::size_t& buffers) {
  std::vector<std::size_t> last_reader(formula.size()), buffer(formula.size());
  for (std::size_t k = 0; k < formula.size(); ++k)
    if (needed[k])
      formula.for_each_child(lang::FormulaId(k), [&](lang::FormulaId child) { last_reader[child.index] = k; });
  last_reader[formula.root.index] = formula.size();
  std::vector<std::size_t> free;
  buffers = 0;
  const auto take = [&](std::size_t k) {
    if (free.empty()) free.push_back(buffers++);
    buffer[k] = free.back();
    free.pop_back();
  };
  const auto is_symbol = [&](std::size_t k) {
    return std::holds_alternative<lang::SymbolAtom>(formula[lang::FormulaId(k)]);
  };
  for (std::size_t k = 0; k < formula.size(); ++k)
    if (needed[k] && is_symbol(k)) take(k);
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!needed[k]) continue;
    if (!is_symbol(k)) take(k);
    std::vector<std::size_t> done;  // each child once
    formula.for_each_child(lang::FormulaId(k), [&](lang::FormulaId child) {
      if (last_reader[child.index] == k && std::find(done.begin(), done.end(), child.index) == done.end())
        done.push_back(child.index);
    });
    for (const std::size_t child : done) free.push_back(buffer[child]);
  }
  return buffer;
}

}  // namespace

BatchEvaluator::BatchEvaluator(const lang::Formula& formula)
    : formula_(formula), single_(formula), needed_(formula.reachable()) {
  std::size_t buffers = 0;
  buffer_ = assign_buffers(formula, needed_, buffers);
  buffers_.resize(buffers);
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!needed_[k]) continue;
    const lang::Node& node = formula[lang::FormulaId(k)];
    if (const auto* atom = std::get_if<lang::SymbolAtom>(&node)) {
      symbols_.push_back(atom->symbol);
      symbol_nodes_.push_back(lang::FormulaId(k));
    }
    if (const auto* predicate = std::get_if<lang::PositionPredicate>(&node))
      length_matters_ |= formula[predicate->predicate].depends_on_length();
    if (const auto* predicate = std::get_if<lang::CountPredicate>(&node))
      length_matters_ |= formula[predicate->predicate].depends_on_length();
    if (const auto* congruence = std::get_if<lang::Congruence>(&node))
      one_at_a_time_ |= residue_class(formula[congruence->predicate])->modulus > kMostRests;
  }
}

void BatchEvaluator::evaluate(std::span<const Text> words, Planes& planes) {
  planes.first.resize(words.size() + 1);
  planes.first.front() = 0;
  bool in_order = true;
  for (std::size_t w = 0; w < words.size(); ++w) {
    QUENCH_ASSERT(!words[w].empty());
    planes.first[w + 1] = planes.first[w] + words_for(words[w].size());
    in_order &= w == 0 || words[w - 1].size() <= words[w].size();
  }
  planes.bits.resize(planes.first.back());
  side_by_side_ = 0;
  diagrams_.clear();
  std::vector<std::size_t> order;
  std::vector<Text> ordered;
  if (!in_order) {
    order = by_length(words);
    for (const std::size_t w : order) ordered.push_back(words[w]);
    words = ordered;
  }
  std::vector<Bits*> targets;
  for (std::size_t start = 0; start < words.size();) {
    std::size_t end = start + 1;
    while (end < words.size() && end - start < kGroup && words[end].size() <= kLongest &&
           (!length_matters_ || words[end].size() == words[start].size()))
      ++end;
    const std::span<const Text> group = words.subspan(start, end - start);
    targets.clear();
    for (std::size_t k = start; k < end; ++k)
      targets.push_back(planes.bits.data() + planes.first[in_order ? k : order[k]]);
    if (!one_at_a_time_ && worth_slicing(group.size(), group.back().size())) {
      evaluate_group(group);
      planes_of(slices(formula_.root), group, targets);
      side_by_side_ += group.size();
    } else {
      for (std::size_t k = 0; k < group.size(); ++k) std::ranges::copy(single_.evaluate(group[k]), targets[k]);
    }
    start = end;
  }
}

void BatchEvaluator::evaluate_group(std::span<const Text> words) {
  const Extent extent = Extent::of(words);
  for (Slices& buffer : buffers_)
    if (buffer.size() < extent.longest) buffer.resize(extent.longest);
  std::vector<Slice*> atoms;
  for (const lang::FormulaId id : symbol_nodes_) atoms.push_back(buffers_[buffer_[id.index]].data());
  symbol_slices(words, extent.longest, symbols_, atoms);
  for (std::size_t k = 0; k < formula_.size(); ++k) {
    if (!needed_[k]) continue;
    Slice* out = buffers_[buffer_[k]].data();
    std::visit(
        Overloaded{
            [&](const lang::Constant& node) {
              Slice value;
              std::ranges::fill(value.lanes, node.value ? kAll : 0);
              std::fill_n(out, extent.longest, value);
            },
            [&](const lang::SymbolAtom&) {},
            [&](const lang::Unary& node) { apply(node.op, slices(node.arg), extent, out); },
            [&](const lang::Binary& node) { apply(node.op, slices(node.left), slices(node.right), extent, out); },
            [&](const lang::Comparison& node) { comparison(node, extent, out); },
            [&](const lang::PositionPredicate& node) { position_predicate(node.predicate, extent, out); },
            [&](const lang::CountPredicate& node) {
              look_up(slices(node.count.of), node.count.scope, diagram(node.predicate, extent.longest), extent, out);
            },
            [&](const lang::Congruence& node) {
              std::vector<CountedSlices> counts;
              for (const lang::Term::Part& part : formula_[node.term].parts)
                counts.push_back({part.coefficient, part.count.scope, slices(part.count.of)});
              congruent(counts, formula_[node.term].constant, *residue_class(formula_[node.predicate]), extent, out);
            },
        },
        formula_[lang::FormulaId(k)]);
  }
}

void BatchEvaluator::comparison(const lang::Comparison& node, const Extent& extent, Slice* out) const {
  const lang::Term &left = formula_[node.left], &right = formula_[node.right];
  std::vector<CountedSlices> counts;
  for (const lang::Term::Part& part : left.parts)
    counts.push_back({part.coefficient, part.count.scope, slices(part.count.of)});
  for (const lang::Term::Part& part : right.parts)
    counts.push_back({-part.coefficient, part.count.scope, slices(part.count.of)});
  compare(counts, left.constant - right.constant, node.relation, extent, out);
}

void BatchEvaluator::position_predicate(lang::PredicateId id, const Extent& extent, Slice* out) const {
  for (std::size_t i = 0; i < extent.longest; ++i) {
    const bool holds =
        oracle::holds(formula_[id], static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(extent.longest));
    std::ranges::fill(out[i].lanes, holds ? kAll : 0);
  }
}

const Diagram& BatchEvaluator::diagram(lang::PredicateId id, std::size_t n) {
  const auto key = std::pair(static_cast<std::size_t>(id.index), n);
  if (const auto known = diagrams_.find(key); known != diagrams_.end()) return known->second;
  std::vector<bool> table(n + 1);
  for (std::size_t x = 0; x <= n; ++x)
    table[x] = oracle::holds(formula_[id], static_cast<std::int64_t>(x), static_cast<std::int64_t>(n));
  return diagrams_.emplace(key, Diagram(table)).first->second;
}

}  // namespace quench::bits
