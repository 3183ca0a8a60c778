// A campaign: which rules are made into networks by which recipes, and how these are tried, as a file says it
// (docs/cluster.md). Plain data; campaign/plan.h cuts it into pieces, campaign/piece.h does one of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_enum.h"
#include "base/number/number_format.h"
#include "lang/rule.h"
#include "run/executor.h"

namespace quench::campaign {

/// verify: network and oracle on words. certify: certificates, and the checker's opinion of them. find-failure: the
/// first failure of a format, which must lie beyond what is certified.
#define QUENCH_CAMPAIGN_TASKS(X) X(verify, "verify") X(certify, "certify") X(find_failure, "find-failure")
QUENCH_NAMED_ENUM(Task, QUENCH_CAMPAIGN_TASKS)

#define QUENCH_RULE_KINDS(X) \
  X(formulas, "formulas")    \
  X(brasp, "brasp")          \
  X(srasp, "srasp")          \
  X(automata, "automata")    \
  X(regexes, "regexes")
/// Of random rules.
QUENCH_NAMED_ENUM(RuleKind, QUENCH_RULE_KINDS)

/// A rule that is given, by its text.
struct GivenRule {
  std::string name;  ///< as of a file: its ending may say what it is
  std::string text;
};

/// `count` rules, each drawn from the campaign's seed and its number.
struct RandomRules {
  RuleKind kind = RuleKind::formulas;
  std::uint64_t count = 0;
  std::uint64_t least_size = 1, most_size = 8;  ///< operators of formulas and expressions, states of automata
  std::uint64_t symbols = 2;
};

/// One way of trying a network: every format by every engine on these words, none longer than is certified.
struct Trial {
  std::vector<std::string> kinds;  ///< of these kinds of rules, as kind_of names them; empty: of all
  std::vector<NumberFormat> formats;
  std::vector<run::Engine> engines;
  std::uint64_t exhaustive = 0;   ///< all words up to the length of which there are at most so many
  std::uint64_t random = 0;       ///< random words …
  std::uint64_t adversarial = 0;  ///< … and adversarial ones …
  std::uint64_t near = 0;         ///< … and long accepted words with their neighbours …
  std::uint64_t length = 0;       ///< … up to this length; of find-failure, the longest that is tried
  std::uint64_t shortest = 1;     ///< of find-failure, the shortest that is tried
  bool strict = false;            ///< only words of symbols that the model or the rule mentions
};

struct Campaign {
  std::string name, about;
  Task task = Task::verify;
  std::uint64_t seed = 1;
  std::uint64_t parts = 1;  ///< into which the words of one network are cut
  /// The longest word that exact networks and scans serve, where the recipe does not say it; 0: the longest tried.
  std::uint64_t made_for = 0;
  std::vector<GivenRule> rules;
  std::vector<RandomRules> random;
  std::vector<std::string> recipes;  ///< empty: all that rules of the kind may have; see campaign/recipe_text.h
  std::vector<Trial> trials;
};

/// From the text of a file. Rules that it names as files are read, relative to `folder`. Strict: no unknown fields.
/// Throws IoError that says what is wrong where.
Campaign campaign_from_json(std::string_view text, const std::filesystem::path& folder = {});
/// The whole of it, with the texts of its rules: campaign_from_json of it is the same campaign on any machine.
std::string to_json(const Campaign& campaign);

/// A file, or the name of one of ours. Throws IoError; of a name that is neither, with the names there are.
Campaign load_campaign(const std::string& file_or_name);

/// "formula", "brasp", "srasp" or "automaton".
std::string_view kind_of(const lang::Rule& rule);

/// The engine's name as in campaigns and on the command line.
std::string_view name_of(run::Engine engine);

}  // namespace quench::campaign
