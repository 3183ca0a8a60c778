#include "campaign/piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "base/error.h"
#include "base/text/diagnostic.h"
#include "certify/certificate.h"
#include "certify/certify.h"
#include "check/check.h"
#include "driver/compile.h"
#include "lang/print/print_rule.h"
#include "model/file.h"
#include "verify/find_failure.h"
#include "verify/verify.h"
#include "verify/words/near_words.h"

namespace quench::campaign {
namespace {

constexpr int kLongestExhaustive = 64;

/// What is tried, and where what comes of it goes.
struct Context {
  const Campaign& campaign;
  const Piece& piece;
  const lang::Rule& rule;
  const driver::Compilation& compilation;
  Tally& tally;

  const model::Transformer& model() const { return compilation.model; }
  Cell& cell(NumberFormat format, std::string_view engine) const {
    return tally.cells[{std::string(kind_of(rule)), piece.recipe, std::string(to_string(format)), std::string(engine)}];
  }
  void remark(NumberFormat format, const std::string& what) const {
    tally.remark(piece.number,
                 fmt::format("{} in {}: {}; the rule: {}", piece.recipe, to_string(format), what, lang::print(rule)));
  }
};

std::uint64_t certified_length(const model::Transformer& model, NumberFormat format, std::uint64_t longest) {
  return certify::certify(model, certify::Arithmetic::of(format), certify::Summation::normalise_last, longest).length;
}

/// Numbered as verification does it: the unmentioned symbol last.
std::vector<Word> near(const lang::Rule& rule, std::size_t length, const Trial& trial, std::uint64_t seed,
                       std::size_t symbols) {
  std::vector<Word> words = verify::near_words(rule, length, trial.near, seed);
  const auto has_unmentioned = [](const Word& word) { return std::ranges::find(word, kUnmentioned) != word.end(); };
  if (trial.strict) std::erase_if(words, has_unmentioned);
  for (Word& word : words)
    for (Symbol& s : word) s = s == kUnmentioned ? static_cast<Symbol>(symbols - 1) : s;
  return words;
}

void verify_in(const Context& context, const Trial& trial, NumberFormat format, run::Engine engine) {
  Cell& cell = context.cell(format, name_of(engine));
  const bool first = context.piece.part == 0;
  cell.models += first;
  const auto wanted = std::max<std::uint64_t>(trial.length, kLongestExhaustive);
  const std::uint64_t allowed = certified_length(context.model(), format, wanted);
  if (allowed == 0) return void(cell.uncertified += first);
  verify::Options options;
  options.mentioned_only = trial.strict;
  const std::size_t symbols = verify::symbol_count(context.model(), context.rule, trial.strict);
  while (static_cast<std::uint64_t>(options.exhaustive) < std::min<std::uint64_t>(allowed, kLongestExhaustive) &&
         verify::count_words(symbols, options.exhaustive + 1) <= trial.exhaustive)
    ++options.exhaustive;
  options.random_count = trial.random;
  options.adversarial_count = trial.adversarial;
  options.random_length = static_cast<std::size_t>(std::min(trial.length, allowed));
  options.seed = context.piece.seed;
  options.given = near(context.rule, options.random_length, trial, options.seed, symbols);
  options.part = context.piece.part;
  options.parts = context.campaign.parts;
  options.threads = 1;
  options.run.format = format;
  options.engine = engine;
  const verify::Report report = verify::verify(context.model(), context.rule, options);
  cell.words += report.words;
  cell.positions += report.positions;
  cell.differences += report.differences;
  if (report.words > 0) cell.add_length(report.longest);
  if (const auto& found = report.counterexample)
    context.remark(format, fmt::format("by {} on '{}' at position {} the rule says {}, the network {}", name_of(engine),
                                       found->word, found->position, found->expected, found->got));
}

void certify_in(const Context& context, NumberFormat format) {
  if (context.piece.part != 0) return;
  Cell& cell = context.cell(format, "-");
  ++cell.models;
  const certify::Certificate certificate = certify::make_certificate(context.model(), {format});
  std::uint64_t length = 0;
  for (const model::Entry& entry : certificate.entries) length = std::max(length, entry.finding.length);
  if (length == 0) return void(++cell.uncertified);
  cell.add_length(length);
  const check::Verdict verdict = check::check(certify::to_json(certificate), context.model());
  if (verdict.accepted) return;
  ++cell.differences;
  context.remark(format, "the checker rejects its certificate: " + verdict.reason);
}

void find_failure_in(const Context& context, const Trial& trial, NumberFormat format) {
  if (context.piece.part != 0) return;
  Cell& cell = context.cell(format, "reference");
  ++cell.models;
  const std::uint64_t certified = certified_length(context.model(), format, model::kLongest);
  verify::FailureSearch search;
  search.from = static_cast<std::size_t>(trial.shortest);
  search.to = static_cast<std::size_t>(std::max(trial.length, trial.shortest));
  search.run.format = format;
  search.seed = context.piece.seed;
  const verify::FailureReport report = verify::search_failure(context.model(), context.rule, search);
  cell.uncertified += certified == 0;
  cell.words += report.words;
  cell.positions += report.positions;
  if (!report.failure) return;
  ++cell.failures;
  cell.add_length(report.failure->length);
  if (report.failure->length > certified) return;
  ++cell.differences;
  context.remark(format, fmt::format("fails at length {} ({}), although certified up to {}", report.failure->length,
                                     report.failure->family, certified));
}

void try_network(const Context& context) {
  for (const Trial& trial : context.campaign.trials) {
    if (!trial.kinds.empty() && std::ranges::find(trial.kinds, kind_of(context.rule)) == trial.kinds.end()) continue;
    for (const NumberFormat format : trial.formats) switch (context.campaign.task) {
        case Task::verify:
          for (const run::Engine engine : trial.engines) verify_in(context, trial, format, engine);
          break;
        case Task::certify:
          certify_in(context, format);
          break;
        case Task::find_failure:
          find_failure_in(context, trial, format);
          break;
      }
  }
}

/// Exact networks are made for words of the length that the recipe says, or the campaign does, or else for the longest
/// words that are tried.
lower::RecipeOptions with_length(const Campaign& campaign, lower::RecipeOptions options) {
  if (options.length || !(options.recipe.starts_with("exact") || options.recipe == "scan")) return options;
  std::uint64_t longest = campaign.made_for;
  if (longest == 0)
    for (const Trial& trial : campaign.trials)
      if (trial.length > 0 || trial.exhaustive > 0)
        longest = std::max<std::uint64_t>({longest, trial.length, kLongestExhaustive});
  if (longest > 0) options.length = static_cast<std::size_t>(std::min<std::uint64_t>(longest, lower::kLongestExact));
  return options;
}

/// Nothing if the recipe makes nothing of the rule.
std::optional<driver::Compilation> compiled(const lang::Rule& rule, const lower::RecipeOptions& options) {
  try {
    return driver::compile(rule, options);
  } catch (const DiagnosticError&) {
  } catch (const UserError&) {  // beyond the limits of automata
  }
  return std::nullopt;
}

}  // namespace

Tally run_piece(const Campaign& campaign, const Piece& piece, const std::function<lang::Rule()>& next) {
  Tally tally;
  tally.pieces = 1;
  try {
    const lower::RecipeOptions options = with_length(campaign, piece.options);
    for (int draw = 0; draw < piece.draws; ++draw) {
      const lang::Rule rule = next();
      if (const auto compilation = compiled(rule, options)) {
        try_network({campaign, piece, rule, *compilation, tally});
        return tally;
      }
    }
    tally.not_covered = piece.part == 0;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    tally.errors = 1;
    tally.remark(piece.number, fmt::format("{}: {}", piece.recipe, error.what()));
  }
  return tally;
}

}  // namespace quench::campaign
