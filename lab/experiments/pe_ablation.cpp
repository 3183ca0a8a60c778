// Every position encoding of every recipe taken away in turn: what becomes wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/catalogue.h"
#include "lab/models.h"
#include "verify/verify.h"

namespace quench::lab {
namespace of_pe_ablation {

struct Entry {
  const char* recipe;
  const char* rule;
};
// A rule that uses every operator the recipe is for.
const std::vector<Entry> kEntries = {
    {"12a", "prev Q_a & next Q_b"},
    {"12b", "prev Q_a & next Q_b"},
    {"13a", "prev Q_a"},
    {"13b", "prev Q_a"},
    {"15a", "((Q_a | Q_b) since Q_b) | ((Q_b | Q_a) until Q_a)"},
    {"15b", "((Q_a | Q_b) since Q_b) | ((Q_b | Q_a) until Q_a)"},
    {"16a", "(Q_a | Q_b) since Q_b"},
    {"16b", "(Q_a | Q_b) since Q_b"},
    {"17a", "(Q_a since prev Q_b) | next Q_a"},
    {"17b", "(Q_a since prev Q_b) | next Q_a"},
    {"18a", "Q_a since prev Q_b"},
    {"18b", "Q_a since prev Q_b"},
    {"20a", "#<[Q_a] >= #>[Q_b] | odd(#<[Q_b])"},
    {"20b", "#<[Q_a] >= #>[Q_b] | odd(#<[Q_b])"},
    {"21", "#<[Q_a] > #<[Q_b] | odd(#<[Q_b])"},
    {"22a", "prev Q_a & #<[Q_a] >= #>[Q_b]"},
    {"22b", "prev Q_a & #<[Q_a] >= #>[Q_b]"},
    {"23", "prev Q_a & #<[Q_a] > #<[Q_b]"},
    {"tight", "(Q_a since prev Q_b) & #<[Q_a] >= #>[Q_b]"},
    {"tight-position", "(Q_a since prev Q_b) & #<[Q_a] >= #>[Q_b]"},
    {"tight-decoder", "(Q_a since prev Q_b) & #<[Q_a] >= #<[Q_b]"},
};

bool reads(const SparseMatrix& matrix, std::uint32_t coordinate) {
  for (const SparseMatrix::Row& entries : matrix.rows)
    for (const SparseMatrix::Entry& entry : entries)
      if (entry.column == coordinate) return true;
  return false;
}

/// What kinds of heads read the encoding, while its coordinate still holds it, and whether a feed-forward does.
std::string readers(const model::Transformer& model, std::uint32_t coordinate) {
  int until = 0;
  for (const model::Tenant& tenant : model.tenants)
    if (tenant.coordinate == coordinate && tenant.from == 0) until = tenant.to;
  std::vector<std::string> kinds;
  const auto add = [&](const std::string& kind) {
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  };
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    if (until < 2 * static_cast<int>(l)) break;
    for (const model::Head& head : model.layers[l].heads) {
      const std::string kind = head.claim.structure == HeadStructure::none ? "heads" : head.claim.structure.text();
      if (reads(head.q, coordinate)) add("queries of " + kind);
      if (reads(head.k, coordinate)) add("keys of " + kind);
      if (reads(head.v, coordinate)) add("values of " + kind);
    }
    if (until > 2 * static_cast<int>(l) && reads(model.layers[l].ffn.w1, coordinate)) add("feed-forwards");
  }
  std::string text;
  for (const std::string& kind : kinds) text += (text.empty() ? "" : ", ") + kind;
  return text;
}

std::vector<Row> measure(const Entry& entry, const Settings& settings) {
  const lang::Rule rule = rule_of(entry.rule);
  const model::Transformer model = compiled(entry.rule, entry.recipe);
  verify::Options options;
  options.exhaustive = settings.quick ? 5 : 7;
  options.random_count = settings.quick ? 20 : 100;
  options.random_length = 64;
  options.seed = settings.seed;
  options.threads = 1;
  std::vector<Row> rows;
  const auto add = [&](const std::string& dropped, const std::string& used_by, const model::Transformer& changed) {
    const verify::Report found = verify::verify(changed, rule, options);
    const auto& bad = found.counterexample;
    rows.push_back(row(entry.recipe, entry.rule, dropped, used_by, found.positions,
                       static_cast<double>(found.differences) / static_cast<double>(found.positions),
                       bad ? bad->word : "", bad ? std::to_string(bad->position) : "", bad ? bad->expected : "",
                       bad ? bad->got : ""));
  };
  add("none", "", model);
  for (std::size_t e = 0; e < model.position_encodings.size(); ++e)
    add(quench::to_string(model.position_encodings[e].formula), readers(model, model.position_encodings[e].coordinate),
        without_position(model, e));
  return rows;
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (const Entry& entry : kEntries)
    all.push_back({entry.recipe, [&entry, settings] { return measure(entry, settings); }});
  return all;
}

Report report(const Table& table, const Settings&) {
  Report report;
  Panel panel{.title = "Share of positions that become wrong without one encoding",
              .x = {.label = "share of positions wrong", .low = -0.02},
              .y = {.label = ""},
              .height = 1020};
  Series paper{.label = "the paper's recipes", .x = {}, .y = {}, .line = false, .style = 0};
  Series ours{.label = "ours", .x = {}, .y = {}, .line = false, .style = 3};
  report.summary =
      Table({"recipe", "without", "used by", "share wrong", "smallest word", "position", "expected", "got"});
  std::size_t dropped = 0, needed = 0;
  double intact = 0;
  std::string idle;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const double share = table.number(r, "share wrong");
    const std::string recipe = table.text(r, "recipe"), without = table.text(r, "without");
    if (without == "none") {
      intact = std::max(intact, share);
      continue;
    }
    ++dropped;
    needed += share > 0;
    if (share == 0) idle += (idle.empty() ? "" : ", ") + without + " of " + recipe;
    Series& series = recipe.starts_with("tight") ? ours : paper;
    series.x.push_back(share);
    series.y.push_back(static_cast<double>(panel.y.categories.size()));
    panel.y.categories.push_back(recipe + " without " + without);
    report.summary.rows.push_back(row(recipe, without, table.text(r, "used by"), share, table.text(r, "word"),
                                      table.text(r, "position"), table.text(r, "expected"), table.text(r, "got")));
  }
  panel.series = {paper, ours};
  report.figure.columns = 1;
  report.figure.panel_width = 640;
  report.figure.panels = {panel};
  report.findings.push_back(
      {intact == 0 ? Verdict::confirmed : Verdict::refuted,
       fmt::format("with all encodings in place no position is wrong in any of {} recipes (largest share {:.3g}).",
                   table.distinct("recipe").size(), intact)});
  report.findings.push_back({needed == dropped ? Verdict::confirmed : Verdict::measured,
                             fmt::format("{} of {} encodings are needed: dropping one makes positions wrong{}.", needed,
                                         dropped, idle.empty() ? "" : "; not missed on the words tried: " + idle)});
  return report;
}

}  // namespace of_pe_ablation

Experiment pe_ablation() {
  using namespace of_pe_ablation;
  return {
      .name = "pe-ablation",
      .title = "Position encodings dropped in turn",
      .claim =
          "Each recipe lists the position encodings its construction needs (Theorems 12 to 23); the summary page names "
          "insufficient position encodings as a way to fail.",
      .method =
          "For every recipe a rule with all its operators is compiled. Each position encoding the model has is removed "
          "in turn, "
          "and the model compared with the rule at every position of all short words and of random ones up to length "
          "64, in float64. The smallest word that goes wrong is shrunk as `quench verify` does.",
      .columns = {"recipe", "rule", "without", "used by", "positions", "share wrong", "word", "position", "expected",
                  "got"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
