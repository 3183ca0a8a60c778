// quench decide: which logic a regular language needs, and so which transformers there are for it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "automata/formats/dot.h"
#include "cli/arguments/number_formats.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/terminal.h"
#include "driver/architectures.h"
#include "driver/language_of.h"
#include "driver/listing.h"
#include "model/certificate.h"

namespace quench::cli {
namespace {

using nlohmann::ordered_json;

struct DecideCommand {
  SourceArguments source;
  std::string dtype = "f32";
  bool quick = false, dot = false, json = false;
};

ordered_json words_json(const Alphabet& alphabet, const std::vector<Word>& words) {
  auto json = ordered_json::array();
  for (const Word& word : words) json.push_back(alphabet.print(word));
  return json;
}

/// What the language is not, each with its witness; null if it is everything.
ordered_json witness_json(const driver::Verdict& verdict) {
  const Alphabet& alphabet = verdict.minimal.alphabet;
  const automata::Decision& d = verdict.decision;
  ordered_json json;
  if (const auto& w = verdict.not_r_trivial)
    json["not_r_trivial"] = {
        {"away", alphabet.print(w->away)}, {"back", alphabet.print(w->back)}, {"states", {w->from, w->to}}};
  if (const auto& w = d.not_aperiodic)
    json["not_aperiodic"] = {{"word", alphabet.print(w->word)}, {"states", w->states}};
  if (const auto& w = d.not_quasi_aperiodic)
    json["not_quasi_aperiodic"] = {
        {"turning", alphabet.print(w->turning)}, {"standing", alphabet.print(w->standing)}, {"states", w->states}};
  if (const auto& w = d.not_solvable)
    json["not_solvable"] = {{"words", words_json(alphabet, w->words)}, {"states", w->states}};
  return json;
}

ordered_json architecture_json(const driver::Architecture& row) {
  ordered_json json{{"name", row.name},
                    {"answer", row.possible ? "yes" : "no"},
                    {"kind", name_of(row.kind)},
                    {"reason", row.reason},
                    {"network", nullptr}};
  if (const auto& network = row.network) {
    json["network"] = {{"recipe", network->recipe},     {"layers", network->layers},   {"heads", network->heads},
                       {"strategy", network->strategy}, {"formula", network->formula}, {"certified", nullptr}};
    if (network->certified != model::kLongest) json["network"]["certified"] = network->certified;
  }
  return json;
}

std::string verdict_json(const driver::Verdict& verdict) {
  const automata::Decision& d = verdict.decision;
  ordered_json json{{"states", d.states},
                    {"letters", d.letters},
                    {"monoid", d.monoid},
                    {"j_classes", d.j_classes},
                    {"idempotents", d.idempotents},
                    {"largest_group", d.largest_group},
                    {"class", automata::name(d.language_class)},
                    {"logic", automata::logic(d.language_class)},
                    {"definite", d.definite},
                    {"reverse_definite", d.reverse_definite},
                    {"j_trivial", d.j_trivial},
                    {"r_trivial", d.r_trivial},
                    {"l_trivial", d.l_trivial},
                    {"locally_testable", d.locally_testable},
                    {"da", d.da},
                    {"aperiodic", d.aperiodic},
                    {"quasi_aperiodic", d.quasi_aperiodic},
                    {"modulus", nullptr},
                    {"solvable", d.solvable},
                    {"accepts_empty_word", d.accepts_empty_word},
                    {"recipe", nullptr},
                    {"witness", witness_json(verdict)},
                    {"architectures", ordered_json::array()}};
  if (d.quasi_aperiodic) json["modulus"] = d.modulus;
  if (!verdict.recipe.empty()) json["recipe"] = verdict.recipe;
  for (const driver::Architecture& row : verdict.architectures) json["architectures"].push_back(architecture_json(row));
  return json.dump() + "\n";
}

std::string witnesses_text(const driver::Verdict& verdict) {
  const Alphabet& alphabet = verdict.minimal.alphabet;
  const automata::Decision& d = verdict.decision;
  std::string text;
  const auto line = [&](const char* what, const std::string& why) { text += fmt::format("  {:<20}{}\n", what, why); };
  if (const auto& w = verdict.not_r_trivial)
    line("not R-trivial", fmt::format("'{}' leads from state {} to state {}, '{}' back", alphabet.print(w->away),
                                      w->from, w->to, alphabet.print(w->back)));
  if (const auto& w = d.not_aperiodic)
    line("not aperiodic",
         fmt::format("'{}' turns the states {}", alphabet.print(w->word), fmt::join(w->states, " -> ")));
  if (const auto& w = d.not_quasi_aperiodic)
    line("not quasi-aperiodic",
         fmt::format("'{}' turns the states {}, and '{}', of the same length, leaves them alone",
                     alphabet.print(w->turning), fmt::join(w->states, " -> "), alphabet.print(w->standing)));
  if (const auto& w = d.not_solvable) {
    std::vector<std::string> words;
    for (const Word& word : w->words) words.push_back(fmt::format("'{}'", alphabet.print(word)));
    line("not solvable", fmt::format("{} permute the states {}, and generate a group that is its own derived group",
                                     fmt::join(words, ", "), fmt::join(w->states, " ")));
  }
  return text.empty() ? "" : "\nwitnesses (checked; states as --dot numbers them)\n" + text;
}

std::string answer_cell(const driver::Architecture& row) {
  if (!row.possible)
    return row.kind == driver::AnswerKind::conditional ? "no, unless TC0 = NC1" : "no, unconditionally";
  return row.network ? "yes, by a network" : "yes, by a theorem";
}

driver::Table table_of(const driver::Verdict& verdict, const std::string& dtype) {
  driver::Table table{
      "architectures", {"architecture", "answer", "layers", "heads", "certified in " + dtype, "known from"}, {}};
  for (const driver::Architecture& row : verdict.architectures) {
    std::vector<std::string> cells{row.name, answer_cell(row), "", "", "", row.reason};
    if (const auto& network = row.network) {
      cells[2] = fmt::format("{}", network->layers);
      cells[3] = fmt::format("{}", network->heads);
      cells[4] = network->certified == model::kLongest ? "any length" : fmt::format("n <= {}", network->certified);
      cells[5] = network->formula.substr(0, network->formula.find_last_not_of('\n') + 1);
      if (cells[5].find('\n') != std::string::npos) cells[5] = "a formula by " + network->strategy;
      if (cells[5].empty()) cells[5] = "recipe " + network->recipe;
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string verdict_text(const driver::Verdict& verdict, const std::string& dtype) {
  const automata::Decision& d = verdict.decision;
  std::string text;
  const auto line = [&](const char* key, const std::string& value) { text += fmt::format("{:<12}{}\n", key, value); };
  line("states", fmt::format("{} of the minimal automaton, {} letters that differ", d.states, d.letters));
  line("monoid",
       fmt::format("{} elements, {} idempotents, largest group of order {}", d.monoid, d.idempotents, d.largest_group));
  line("class", fmt::format("{}", automata::name(d.language_class)));
  line("logic", fmt::format("{}{}", automata::logic(d.language_class),
                            d.modulus > 1 ? fmt::format(" (s = {})", d.modulus) : ""));
  if (!verdict.recipe.empty())
    line("recipe", verdict.recipe + ", the narrowest of the paper's that covers a formula of it");
  line("empty word", d.accepts_empty_word ? "accepted; rules have no value on it" : "not accepted");
  const std::size_t columns = columns_of_output(kUnlimited);
  return folded(text, columns) + "\n" +
         driver::to_text(driver::Listing{"decide", {table_of(verdict, dtype)}, {}, {}}, columns) +
         folded(witnesses_text(verdict), columns);
}

void run(DecideCommand& command) {
  const Source source = command.source.take_source();
  const lang::Rule rule = source.rule();
  const lang::Dfa dfa = source.diagnose([&] { return driver::language_of(rule, source.limits); });
  const driver::RegularOptions options{source.limits, *number_format_from(command.dtype)};
  const driver::Verdict verdict = driver::judge(dfa, options, !command.quick && !command.dot);
  if (command.dot) return print(automata::print_dot(verdict.minimal));
  print(command.json ? verdict_json(verdict) : verdict_text(verdict, command.dtype));
}

}  // namespace

void add_decide(App& program) {
  App* app =
      program.add_subcommand("decide", "Which transformers there are for a regular language, or why there are none");
  auto command = std::make_shared<DecideCommand>();
  command->source.add_to(*app, "SOURCE", "");
  app->add_option("--dtype", command->dtype, "The number format of the certified lengths")
      ->type_name("FORMAT")
      ->check(number_format_name())
      ->capture_default_str();
  app->add_flag("--quick", command->quick, "The class and what theorems say, without networks");
  app->add_flag("--dot", command->dot, "The minimal automaton, for Graphviz");
  app->add_flag("--json", command->json, "One JSON object");
  app->describe_json(
      "`{\"states\",\"letters\",\"monoid\",\"j_classes\",\"idempotents\",\"largest_group\",\"class\",\"logic\","
      "\"definite\",\"reverse_definite\","
      "\"j_trivial\",\"r_trivial\",\"l_trivial\",\"locally_testable\",\"da\","
      "\"aperiodic\",\"quasi_aperiodic\",\"modulus\"|null,\"solvable\",\"accepts_empty_word\",\"recipe\"|null,"
      "\"witness\":null|{"
      "\"not_r_trivial\":{\"away\",\"back\",\"states\"},\"not_aperiodic\":{\"word\",\"states\"},\"not_quasi_"
      "aperiodic\":{\"turning\","
      "\"standing\",\"states\"},\"not_solvable\":{\"words\",\"states\"}},\"architectures\":[{\"name\",\"answer\":"
      "\"yes\"|\"no\",\"kind\":"
      "\"network\"|\"theorem\"|\"unconditional\"|\"unless TC0 = "
      "NC1\",\"reason\",\"network\":null|{\"recipe\",\"layers\","
      "\"heads\",\"strategy\",\"formula\",\"certified\":N|null}}…]}`: a witness has the fields of what the language is "
      "not; `certified` is the length in the format of `--dtype`, by any engine, and null if there is no limit.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
