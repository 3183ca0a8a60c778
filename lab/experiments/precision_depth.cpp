// Layers against bits of mantissa: how deep a network must be that counts modulo m, exactly, in numbers of q bits, and
// what happens one step beyond. [Q-blocks], docs/theory-exact.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number/random.h"
#include "base/number/rounding.h"
#include "build/build.h"
#include "certify/certify.h"
#include "lab/catalogue.h"
#include "lower/exact/exact.h"
#include "opt/simplify.h"
#include "run/reference/reference.h"

namespace quench::lab {
namespace of_precision_depth {

constexpr const char* kDepth = "depth";
constexpr const char* kLimit = "limit";
const std::vector<int> kModuli = {2, 3, 5, 16};
const std::vector<int> kMantissas = {3, 4, 6, 8, 11, 16, 24};

/// mod(m, 1)(#<[Q_a]) for words of up to 2^bits symbols, a level of [Q-blocks] for each entry of `levels`.
model::Transformer counter(int bits, int modulus, const std::vector<int>& levels) {
  ir::Graph graph;
  graph.alphabet = Alphabet({"a"});
  lower::Tuning tuning;
  tuning.length_bits = bits;
  lower::ExactConstructions build(graph, *lower::find_recipe("exact-decoder"), tuning);
  build.use_levels(levels);
  Predicate rest;
  rest.kind = Predicate::Kind::mod;
  rest.name = fmt::format("mod({},1)", modulus);
  rest.modulus = modulus;
  rest.residue = 1;
  graph.output = build.predicate_of(rest, lang::Scope::left, {graph.add(ir::SymbolIn{{0}}, "Q_a"), false}, "count");
  const ir::Graph simple = opt::simplify(graph);
  const opt::Schedule schedule = opt::schedule(simple);
  return build::build(simple, schedule, opt::allocate(simple, schedule));
}

/// Stored in q bits, summed as float32 does.
certify::Arithmetic arithmetic(int mantissa) { return {emulated_format(mantissa), kSingle}; }

bool certified(const model::Transformer& model, int mantissa, int bits) {
  return certify::holds(model, arithmetic(mantissa), certify::Summation::any, std::uint64_t{1} << bits);
}

/// `count` levels of nearly equal size, the larger ones first: the first adds up Booleans.
std::vector<int> even_levels(int bits, int count) {
  std::vector<int> levels;
  for (int k = 0; k < count; ++k) levels.push_back(bits / count + (k < bits % count ? 1 : 0));
  return levels;
}

std::vector<Row> measure_depth(int modulus, int mantissa, int bits) {
  for (int count = 1; count <= bits; ++count) {
    const std::vector<int> levels = even_levels(bits, count);
    if (std::exp2(levels.front()) > 4096) continue;  // a feed-forward of more units than anyone would want
    const model::Transformer model = counter(bits, modulus, levels);
    if (certified(model, mantissa, bits))
      return {row(kDepth, modulus, mantissa, bits, levels.front(), model.layers.size(), 1, "")};
  }
  return {row(kDepth, modulus, mantissa, bits, "", std::nan(""), 0, "")};
}

/// How many outputs are wrong if everything that is stored between sublayers is rounded to q bits.
std::size_t wrong_outputs(const model::Transformer& model, int modulus, int mantissa, const Word& word) {
  const FloatFormat format = emulated_format(mantissa);
  run::Observer narrow;
  narrow.residual = [&](int, Matrix& residual) {
    for (std::size_t i = 0; i < word.size(); ++i)
      for (std::size_t c = 0; c < model.width; ++c) residual(i, c) = round_narrow(format, residual(i, c));
  };
  const auto got = run::booleans(run::outputs(model, word, {.format = NumberFormat::f32}, narrow));
  std::size_t wrong = 0, count = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    count += word[i] == 0;
    wrong += (got[i] != 0) != (count % static_cast<std::size_t>(modulus) == 1);
  }
  return wrong;
}

/// Two levels, of which the second adds up 2^r rests. The hardest words make each of them as large as it can be, but for
/// one early symbol, so that sums are not all multiples of something.
std::vector<Row> measure_limit(int modulus, int mantissa, int r, std::uint64_t seed) {
  const int low = std::max(1, static_cast<int>(std::ceil(std::log2(modulus - 1)))), bits = low + r;
  const model::Transformer model = counter(bits, modulus, {low, r});
  const std::size_t n = std::size_t{1} << bits, block = std::size_t{1} << low;
  Word hardest(n, kUnmentioned);
  for (std::size_t i = 0; i < n; ++i)
    if (i % block < static_cast<std::size_t>(modulus - 1)) hardest[i] = 0;
  std::vector<Word> words(4, hardest);
  for (std::size_t k = 1; k < words.size(); ++k) words[k][k - 1] = kUnmentioned;
  Random random(seed);
  words.push_back(random_word(random, 1, true, n));
  std::size_t wrong = 0;
  for (const Word& word : words) wrong += wrong_outputs(model, modulus, mantissa, word);
  return {row(kLimit, modulus, mantissa, bits, r, model.layers.size(), certified(model, mantissa, bits) ? 1 : 0, wrong)};
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (const int m : kModuli)
    for (const int q : kMantissas)
      for (int bits = 4; bits <= 20; bits += settings.quick ? 8 : 2)
        all.push_back({fmt::format("depth {} {} {}", m, q, bits), [m, q, bits] { return measure_depth(m, q, bits); }});
  const int longest = settings.quick ? 7 : 10;
  for (const int m : {2, 3, 5})
    for (const int q : {3, 4, 5, 6, 8})
      for (int r = 1; r + std::max(1, m / 2) <= longest; ++r)
        all.push_back({fmt::format("limit {} {} {}", m, q, r),
                       [m, q, r, settings] { return measure_limit(m, q, r, settings.seed); }});
  return all;
}

/// The certified and the first wrong number of rests that one level adds up, for one m and q.
struct Limit {
  double certified = 0, wrong = std::nan("");
  bool contradicted = false;
};
Limit limit_of(const Table& rows) {
  Limit limit;
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    const double r = rows.number(k, "bits of a level");
    const bool proved = rows.number(k, "certified") > 0, fails = rows.number(k, "wrong outputs") > 0;
    if (proved) limit.certified = std::fmax(limit.certified, r);
    if (fails && !(limit.wrong <= r)) limit.wrong = r;
    limit.contradicted = limit.contradicted || (proved && fails);
  }
  return limit;
}

Panel depth_panel(const Table& rows, const std::string& modulus) {
  Panel panel{.title = fmt::format("Layers of the shallowest certified network, κ mod {}", modulus),
              .x = {.label = "log₂ N", .low = 4, .high = 20},
              .y = {.label = "layers", .low = 0}};
  for (const std::string& mantissa : rows.distinct("mantissa bits")) {
    const Table own = rows.where("mantissa bits", mantissa);
    panel.series.push_back({.label = mantissa + " bits", .x = {}, .y = {}});
    for (std::size_t k = 0; k < own.rows.size(); ++k)
      if (const double layers = own.number(k, "layers"); !std::isnan(layers)) {
        panel.series.back().x.push_back(own.number(k, "log2 N"));
        panel.series.back().y.push_back(layers);
      }
  }
  return panel;
}

Finding depth_finding(const Table& depth) {
  std::string text;
  for (const std::string& mantissa : depth.distinct("mantissa bits")) {
    const Table rows = depth.where("mantissa bits", mantissa).where("modulus", "2").where("log2 N", "20");
    const double layers = rows.rows.empty() ? std::nan("") : rows.number(0, "layers");
    text += fmt::format("{}{} bits: {}", text.empty() ? "" : ", ", mantissa,
                        std::isnan(layers) ? std::string("none") : fmt::format("{:g}", layers));
  }
  return {Verdict::measured, "layers for parity up to 2^20: " + text + "."};
}

/// Depth does not fall with N, nor rise with q.
Finding monotone_finding(const Table& depth) {
  std::size_t falls = 0;
  for (const std::string& modulus : depth.distinct("modulus"))
    for (const std::string& mantissa : depth.distinct("mantissa bits")) {
      const Table rows = depth.where("modulus", modulus).where("mantissa bits", mantissa);
      for (std::size_t k = 1; k < rows.rows.size(); ++k)
        falls += rows.number(k, "layers") < rows.number(k - 1, "layers");
    }
  return {falls == 0 ? Verdict::confirmed : Verdict::refuted,
          fmt::format("in a fixed format depth grows with log N, and never falls ({} exceptions).", falls)};
}

Report report(const Table& table, const Settings&) {
  const Table depth = table.where("what", kDepth), limits = table.where("what", kLimit);
  Report report;
  for (const std::string& modulus : depth.distinct("modulus"))
    report.figure.panels.push_back(depth_panel(depth.where("modulus", modulus), modulus));
  report.findings.push_back(depth_finding(depth));
  report.findings.push_back(monotone_finding(depth));
  report.summary = Table({"m", "mantissa bits", "certified: bits of a level", "first wrong", "steps beyond"});
  std::size_t contradicted = 0, failing = 0;
  double furthest = 0;
  for (const std::string& modulus : limits.distinct("modulus"))
    for (const std::string& mantissa : limits.distinct("mantissa bits")) {
      const Limit limit = limit_of(limits.where("modulus", modulus).where("mantissa bits", mantissa));
      contradicted += limit.contradicted;
      failing += !std::isnan(limit.wrong);
      const double beyond = limit.wrong - limit.certified;
      if (!std::isnan(beyond)) furthest = std::fmax(furthest, beyond);
      report.summary.rows.push_back(row(modulus, mantissa, limit.certified, limit.wrong, beyond));
    }
  report.findings.push_back(
      {contradicted == 0 ? Verdict::confirmed : Verdict::refuted,
       fmt::format("no level that is certified for its format gives a wrong output ({} contradictions).", contradicted)});
  report.findings.push_back(
      {failing > 0 && furthest <= 2 ? Verdict::confirmed : Verdict::refuted,
       fmt::format("the limits are real: {} of {} pairs of m and q were made to fail, at most {:g} bits beyond the "
                   "certified level.",
                   failing, report.summary.rows.size(), furthest)});
  report.remarks =
      "A level of r bits adds up 2^r rests of at most m − 1, and one more symbol: (m−1)·2^r + 1 whole numbers must be "
      "numbers of the format. Where m − 1 is a power of two, as here, the hardest words of the first level that is not "
      "certified add up to 2^q, which is one, and still come out right.";
  return report;
}

}  // namespace of_precision_depth

Experiment precision_depth() {
  using namespace of_precision_depth;
  return {
      .name = "precision-depth",
      .title = "Layers against bits of mantissa, for counting modulo m",
      .claim =
          "Networks of constant depth and bounded precision lie in AC⁰ (London and Kanade 2025), so counting modulo m "
          "must get deeper with N in a fixed format; ours has about log N / q layers.",
      .method =
          "mod(m,1)(#<[Q_a]) is built by [Q-blocks] with levels of nearly equal size; the fewest levels with which "
          "every sum is certified, for values stored in q bits and sums of float32, in any order, up to N = 2^L. "
          "Limits: two levels, the second of r bits, run by the reference executor with the residual stream rounded to q "
          "bits after every sublayer, on words of length N that make its sums as large as they can be, with and without one of "
          "the first symbols, and at random.",
      .columns = {"what", "modulus", "mantissa bits", "log2 N", "bits of a level", "layers", "certified",
                  "wrong outputs"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
