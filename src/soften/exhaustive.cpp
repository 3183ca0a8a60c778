#include "soften/exhaustive.h"

#include <fmt/format.h>

#include <cmath>

#include "bounds/ball.h"
#include "soften/exact_network.h"

namespace quench::soften {
namespace {

/// One symbol of every kind of embedding.
std::vector<Symbol> different_symbols(const model::Transformer& model) {
  std::vector<Symbol> symbols;
  std::vector<SparseMatrix::Row> seen;
  for (std::size_t row = 0; row <= model.alphabet.size(); ++row) {
    const SparseMatrix::Row& embedding = model.embedding.rows[row];
    if (std::find(seen.begin(), seen.end(), embedding) != seen.end()) continue;
    seen.push_back(embedding);
    symbols.push_back(row == model.alphabet.size() ? kUnmentioned : static_cast<Symbol>(row));
  }
  return symbols;
}

double magnitude(const mpq_class& x) { return upper(abs(x)); }

void widen(std::vector<double>& greatest, const State& state) {
  for (std::size_t c = 0; c < state.size(); ++c)
    if (state[c] != 0) greatest[c] = std::max(greatest[c], magnitude(state[c]));
}

/// gap/√d_k, rounded down.
double scaled(const mpq_class& gap, std::size_t d_k) {
  using bounds::Ball;
  const Ball negative = Ball(0) - Ball(lower(gap)) / sqrt(Ball(static_cast<double>(d_k)));
  return -upper_of(negative).to_double();
}

class Recorder {
 public:
  Recorder(const Network& network, std::size_t n) : network_(network), facts_(no_facts(network, n)) {
    watch_.in = [this](std::size_t l, const std::vector<State>& states) {
      for (const State& state : states) widen(facts_.layers[l].in, state);
    };
    watch_.middle = [this](std::size_t l, const std::vector<State>& states) { middle(l, states); };
    watch_.projections = [this](std::size_t l, std::size_t h, const auto& q, const auto& k, const auto& v) {
      HeadFacts& head = facts_.layers[l].heads[h];
      for (const State& one : q) widen(head.q, one);
      for (const State& one : k) widen(head.k, one);
      for (const State& one : v)
        for (std::size_t m = 0; m < one.size(); ++m)
          head.v[m] = {std::min(head.v[m].low, lower(one[m])), std::max(head.v[m].high, upper(one[m]))};
    };
    watch_.row = [this](std::size_t l, std::size_t h, std::size_t i, const State& scores) { row(l, h, i, scores); };
  }

  void run(const Word& word) {
    word_ = &word;
    const std::vector<State> states = ExactNetwork(network_.model).run(word, watch_);
    for (const State& state : states) {
      widen(facts_.out, state);
      for (const std::uint32_t c : network_.outputs) {
        if (state[c] != 0 && state[c] != 1) facts_.boolean_outputs = false;
        facts_.half_distance = std::min(facts_.half_distance, lower(abs(state[c] - mpq_class(1, 2))));
      }
    }
  }

  LengthFacts finish() { return std::move(facts_); }

 private:
  void middle(std::size_t l, const std::vector<State>& states) {
    for (const State& state : states) {
      widen(facts_.layers[l].middle, state);
      for (std::size_t g = 0; g < network_.units[l].size(); ++g) {
        const ParallelUnits& group = network_.units[l][g];
        const mpq_class z = dot(group.direction, state);
        std::size_t cell = 0;
        while (cell < group.breakpoints.size() && z >= mpq_class(group.breakpoints[cell])) ++cell;
        Interval& where = facts_.layers[l].groups[g][cell];
        where = {std::min(where.low, lower(z)), std::max(where.high, upper(z))};
      }
    }
  }

  void row(std::size_t l, std::size_t h, std::size_t i, const State& scores) {
    HeadFacts& head = facts_.layers[l].heads[h];
    if (head.uniform) return;
    mpq_class first = scores[0], second;
    std::size_t maxima = 0;
    bool has_second = false;
    for (const mpq_class& score : scores) {
      if (score > first) {
        second = first;
        has_second = true;
        first = score;
        maxima = 1;
      } else if (score == first) {
        ++maxima;
      } else if (!has_second || score > second) {
        second = score;
        has_second = true;
      }
    }
    head.ties = head.ties || maxima > 1;
    if (!has_second) return;
    const double gap = scaled(first - second, network_.model.layers[l].heads[h].q.rows.size());
    if (gap >= head.gap) return;
    head.gap = gap;
    head.where = fmt::format("position {} of {}", i, network_.model.alphabet.print(*word_));
  }

  const Network& network_;
  LengthFacts facts_;
  ExactNetwork::Watch watch_;
  const Word* word_ = nullptr;
};

}  // namespace

double words_of_length(const model::Transformer& model, std::size_t n) {
  return std::pow(static_cast<double>(different_symbols(model).size()), static_cast<double>(n));
}

LengthFacts enumerate(const Network& network, std::size_t n, const std::function<void()>& before_word) {
  const std::vector<Symbol> symbols = different_symbols(network.model);
  Recorder recorder(network, n);
  std::vector<std::size_t> digits(n, 0);
  Word word(n);
  for (bool more = true; more;) {
    before_word();
    for (std::size_t i = 0; i < n; ++i) word[i] = symbols[digits[i]];
    recorder.run(word);
    std::size_t i = n;
    while (i > 0 && digits[i - 1] + 1 == symbols.size()) digits[--i] = 0;
    more = i > 0;
    if (more) ++digits[i - 1];
  }
  return recorder.finish();
}

}  // namespace quench::soften
