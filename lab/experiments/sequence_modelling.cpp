// n-gram language models as transformers: compiled, scored and decoded, against the exact model.
//
// The scores a compiled model puts out at position i are ln p(next symbol | the last N−1 symbols); they are sums of the
// Booleans "this is the history", so they are wrong only where a head finds the wrong neighbour or the format rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number/random.h"
#include "lab/catalogue.h"
#include "lab/models.h"
#include "run/reference/reference.h"

namespace quench::lab {
namespace of_sequence_modelling {

constexpr std::size_t kSymbols = 3;
constexpr const char* kNames[] = {"a", "b", "c"};
constexpr const char* kScored = "scored";
constexpr const char* kDecoded = "decoded";

/// p(next | history): the present symbol and up to N−2 before it; kSymbols stands for "before the beginning".
class Ngram {
 public:
  Ngram(int order, std::uint64_t seed) : order_(order) {
    std::size_t histories = kSymbols;
    for (int back = 1; back < order - 1; ++back) histories *= kSymbols + 1;
    Random random(seed * 7 + static_cast<std::uint64_t>(order));
    for (std::size_t h = 0; h < histories; ++h) {
      double total = 0;
      std::vector<double> row(kSymbols);
      for (double& p : row) total += p = std::pow(random.unit(), 3) + 0.02;
      for (double& p : row) p = std::round(std::log(p / total) * 1e6) / 1e6;  // ln p, as the program writes it
      log_p_.push_back(std::move(row));
    }
  }

  int order() const { return order_; }

  /// ln p of every symbol after word[0 … i].
  const std::vector<double>& after(const Word& word, std::size_t i) const {
    std::size_t h = static_cast<std::size_t>(word[i]);
    for (int back = 1; back < order_ - 1; ++back)
      h = h * (kSymbols + 1) + (i >= static_cast<std::size_t>(back)
                                    ? static_cast<std::size_t>(word[i - static_cast<std::size_t>(back)])
                                    : kSymbols);
    return log_p_[h];
  }

  /// As a program with a score per symbol.
  std::string program() const {
    std::string text = "alphabet {'a', 'b', 'c'}\n";
    for (int back = 1; back < order_ - 1; ++back)
      text += fmt::format("back{}(i) = rightmost j [j < i] {}(j) : '<s>'\n", back,
                          back == 1 ? std::string("in") : fmt::format("back{}", back - 1));
    for (std::size_t s = 0; s < kSymbols; ++s) text += fmt::format("score['{}'](i) = {}\n", kNames[s], choice(0, 0, s));
    return text;
  }

 private:
  /// p ? x : q ? y : … over the symbol `back` places before i, h the history so far.
  std::string choice(int back, std::size_t h, std::size_t next) const {
    if (back == order_ - 1) return fmt::format("{:.6f}", log_p_[h][next]);
    const std::string name = back == 0 ? "in" : fmt::format("back{}", back);
    const std::size_t cases = back == 0 ? kSymbols : kSymbols + 1;
    std::string text;
    for (std::size_t c = 0; c < cases; ++c) {
      const std::size_t history = back == 0 ? c : h * (kSymbols + 1) + c;
      const std::string value = "(" + choice(back + 1, history, next) + ")";
      text +=
          c + 1 == cases ? value : fmt::format("{}(i) = '{}' ? {} : ", name, c < kSymbols ? kNames[c] : "<s>", value);
    }
    return text;
  }

  int order_;
  std::vector<std::vector<double>> log_p_;
};

std::size_t pick(const std::vector<double>& log_p, double u) {
  double total = 0, sum = 0;
  for (const double x : log_p) total += std::exp(x);
  for (std::size_t s = 0; s + 1 < log_p.size(); ++s)
    if (u * total < (sum += std::exp(log_p[s]))) return s;
  return log_p.size() - 1;
}

Word sample(const Ngram& ngram, std::size_t n, std::uint64_t seed) {
  Random random(seed * 31);  // shorter words are prefixes of longer ones
  Word word = {static_cast<Symbol>(random.below(kSymbols))};
  while (word.size() < n) word.push_back(static_cast<Symbol>(pick(ngram.after(word, word.size() - 1), random.unit())));
  return word;
}

class Network {
 public:
  Network(const model::Transformer& model, NumberFormat format) : executor_(model, {.format = format}) {
    for (const char* name : kNames) {
      symbols_.push_back(model.alphabet.find(name));
      for (const model::Output::Case& c : model.output.cases)
        if (c.symbols == std::vector<std::string>{name}) coordinates_.push_back(c.coordinate);
    }
  }

  /// The scores at every position: n × symbols.
  Matrix scores(const Word& word) {
    Word mapped;
    for (const Symbol symbol : word) mapped.push_back(symbols_[static_cast<std::size_t>(symbol)]);
    const Matrix& stream = executor_.run(mapped, workspace_);
    Matrix result(word.size(), kSymbols);
    for (std::size_t i = 0; i < word.size(); ++i)
      for (std::size_t s = 0; s < kSymbols; ++s) result(i, s) = stream(i, coordinates_[s]);
    return result;
  }

 private:
  run::ReferenceExecutor executor_;
  run::ReferenceExecutor::Workspace workspace_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t> coordinates_;
};

std::vector<Row> measure_scores(int order, NumberFormat format, std::size_t n, const Settings& settings) {
  const Ngram ngram(order, settings.seed);
  const model::Transformer model = compiled(ngram.program());
  Network network(model, format);
  double exact_loss = 0, network_loss = 0, error = 0, predictions = 0;
  for (std::uint64_t trial = 0; trial < (n <= 256 ? 4u : 1u); ++trial) {
    const Word word = sample(ngram, n, settings.seed + trial);
    const Matrix scores = network.scores(word);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const std::vector<double>& exact = ngram.after(word, i);
      double total = 0;
      for (std::size_t s = 0; s < kSymbols; ++s) {
        total += std::exp(scores(i, s));
        error = std::max(error, std::fabs(scores(i, s) - exact[s]));
      }
      const auto next = static_cast<std::size_t>(word[i + 1]);
      exact_loss -= exact[next];
      network_loss -= scores(i, next) - std::log(total);
      ++predictions;
    }
  }
  return {row(kScored, order, to_string(format), n, std::exp(exact_loss / predictions),
              std::exp(network_loss / predictions), error, std::nan(""), model.layers.size(), model.head_count(),
              model.width)};
}

/// Both models write, each going on from its own text, with the same random numbers.
std::vector<Row> measure_decoding(int order, NumberFormat format, std::size_t n, const Settings& settings) {
  const Ngram ngram(order, settings.seed);
  const model::Transformer model = compiled(ngram.program());
  Network network(model, format);
  Random random(settings.seed * 31 + n);
  Word exact = {static_cast<Symbol>(random.below(kSymbols))}, written = exact;
  while (exact.size() < n) {
    const double u = random.unit();
    const Matrix scores = network.scores(written);
    std::vector<double> last(kSymbols);
    for (std::size_t s = 0; s < kSymbols; ++s) last[s] = scores(written.size() - 1, s);
    exact.push_back(static_cast<Symbol>(pick(ngram.after(exact, exact.size() - 1), u)));
    written.push_back(static_cast<Symbol>(pick(last, u)));
  }
  std::size_t same = 0;
  for (std::size_t i = 0; i < n; ++i) same += exact[i] == written[i];
  return {row(kDecoded, order, to_string(format), n, std::nan(""), std::nan(""), std::nan(""),
              static_cast<double>(same) / static_cast<double>(n), model.layers.size(), model.head_count(),
              model.width)};
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  const std::vector<NumberFormat> formats = {NumberFormat::f64, NumberFormat::f32, NumberFormat::f16,
                                             NumberFormat::bf16};
  for (int order = 2; order <= 4; ++order)
    for (const NumberFormat format : formats) {
      for (std::size_t n = 16; n <= (settings.quick ? 256u : 2048u); n *= 2)
        all.push_back({fmt::format("{}-gram {} {}", order, to_string(format), n),
                       [=] { return measure_scores(order, format, n, settings); }});
      const std::size_t length = settings.quick ? 96 : 256;
      all.push_back({fmt::format("{}-gram {} decoded", order, to_string(format)),
                     [=] { return measure_decoding(order, format, length, settings); }});
    }
  return all;
}

/// What was measured of one model in one format.
struct Measured {
  std::string order, format;
  Table scored;  ///< by length
  double same;   ///< the share of the decoded symbols that are the exact model's

  bool half() const { return format != "f64" && format != "f32"; }
  double at_the_longest(const char* column) const { return scored.number(scored.rows.size() - 1, column); }
  double excess() const { return at_the_longest("perplexity, network") / at_the_longest("perplexity, exact"); }
};

std::vector<Measured> measured(const Table& table) {
  const Table scored = table.where("what", kScored), decoded = table.where("what", kDecoded);
  std::vector<Measured> all;
  for (const std::string& order : scored.distinct("N"))
    for (const std::string& format : scored.distinct("format"))
      all.push_back({order, format, scored.where("N", order).where("format", format),
                     decoded.where("N", order).where("format", format).number(0, "decoded the same")});
  return all;
}

Panel perplexity_panel(const Table& trigram) {
  Panel perplexity{.title = "3-gram model: perplexity",
                   .x = {.label = "length n", .scale = Scale::log2},
                   .y = {.label = "perplexity per symbol"}};
  const Table exact = trigram.where("format", "f64");
  perplexity.series.push_back({.label = "exact model",
                               .x = exact.numbers("n"),
                               .y = exact.numbers("perplexity, exact"),
                               .emphasised = true,
                               .style = 4});
  int style = 0;
  for (const std::string& format : trigram.distinct("format")) {
    const Table rows = trigram.where("format", format);
    perplexity.series.push_back(
        {.label = format, .x = rows.numbers("n"), .y = rows.numbers("perplexity, network"), .style = style++});
  }
  return perplexity;
}

Panel error_panel(const Table& trigram) {
  Panel error{.title = "3-gram model: largest error of a score",
              .x = {.label = "length n", .scale = Scale::log2},
              .y = {.label = "error of ln p (nats)", .scale = Scale::log10, .low = 1e-8}};
  int style = 0;
  for (const std::string& format : trigram.distinct("format")) {
    const Table rows = trigram.where("format", format);
    error.series.push_back(
        {.label = format, .x = rows.numbers("n"), .y = rows.numbers("score error"), .style = style++});
  }
  return error;
}

Panel excess_panel(const std::vector<Measured>& all) {
  Panel excess{.title = "Perplexity over the exact model's at the longest n",
               .x = {.label = "perplexity, network / exact"},
               .y = {.label = ""}};
  Series ratio{.label = "", .x = {}, .y = {}, .line = false};
  for (const Measured& one : all) {
    ratio.x.push_back(one.excess());
    ratio.y.push_back(static_cast<double>(excess.y.categories.size()));
    excess.y.categories.push_back(fmt::format("{}-gram, {}", one.order, one.format));
  }
  excess.series.push_back(ratio);
  return excess;
}

Table summary(const std::vector<Measured>& all) {
  Table summary({"N", "format", "layers", "heads", "width", "n", "perplexity, exact", "perplexity, network",
                 "largest score error", "decoded symbols the same"});
  for (const Measured& one : all)
    summary.rows.push_back(row(one.order, one.format, one.at_the_longest("layers"), one.at_the_longest("heads"),
                               one.at_the_longest("width"), one.at_the_longest("n"),
                               one.at_the_longest("perplexity, exact"), one.at_the_longest("perplexity, network"),
                               one.at_the_longest("score error"), one.same));
  return summary;
}

Finding exact_finding(const std::vector<Measured>& all) {
  double error = 0, same = 1;
  for (const Measured& one : all) {
    if (one.half()) continue;
    for (const double e : one.scored.numbers("score error")) error = std::max(error, e);
    same = std::min(same, one.same);
  }
  return {error < 1e-4 ? Verdict::confirmed : Verdict::refuted,
          fmt::format("the compiled n-gram models (N = 2, 3, 4) score as the exact ones do at every length tried in "
                      "float64 and float32: the largest error of ln p is {:.2g}, and at least {:.4g} of the symbols "
                      "they write with the same random numbers are the same.",
                      error, same)};
}

Finding half_finding(const std::vector<Measured>& all) {
  double excess = 1;
  for (const Measured& one : all)
    if (one.half()) excess = std::max(excess, one.excess());
  return {Verdict::measured,
          excess < 1.005
              ? fmt::format("in half formats only the scores are rounded at these lengths: the perplexity is at most "
                            "{:.4g} times the exact model's.",
                            excess)
              : fmt::format("in half formats heads lose their neighbour as positions lose their resolution: at the "
                            "longest length the perplexity is up to {:.3g} times the exact model's.",
                            excess)};
}

Report report(const Table& table, const Settings&) {
  const std::vector<Measured> all = measured(table);
  const Table trigram = table.where("what", kScored).where("N", "3");
  Report report;
  report.summary = summary(all);
  report.figure.panels = {perplexity_panel(trigram), error_panel(trigram), excess_panel(all)};
  report.findings = {exact_finding(all), half_finding(all)};
  return report;
}

}  // namespace of_sequence_modelling

Experiment sequence_modelling() {
  using namespace of_sequence_modelling;
  return {
      .name = "sequence-modelling",
      .title = "An n-gram language model, compiled and decoded",
      .claim =
          "Average-hard transformers simulate n-gram language models (Svete and Cotterell, cited in Section 2.2); the "
          "summary page notes that the analysis is limited to recognition and not extended to sequence modelling.",
      .method =
          "Random n-gram models over three symbols (N = 2, 3, 4) are written as programs with one score ln p per "
          "symbol and compiled. Words are drawn from the exact model; the network's scores at every position, "
          "normalised, give its "
          "perplexity, beside the exact model's on the same words, by format and length. Then both write text symbol "
          "by symbol with the same random numbers, each going on from its own text, and agreement is counted.",
      .columns = {"what", "N", "format", "n", "perplexity, exact", "perplexity, network", "score error",
                  "decoded the same", "layers", "heads", "width"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
