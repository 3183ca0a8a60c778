// Campaigns as files, their pieces, and that who does them does not matter.
#include "campaign/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "campaign/library.h"
#include "campaign/plan.h"
#include "campaign/session.h"
#include "driver/compile.h"
#include "verify/verify.h"

namespace quench::campaign {
namespace {

using testing::HasSubstr;

const std::string kSmall = R"({"name": "small", "task": "verify", "seed": 9, "parts": 2,
  "rules": [{"text": "Q_a since Q_b"}, {"name": "x.regex", "text": "(ab)*"},
            {"random": "formulas", "count": 29, "size": [1, 4]}, {"random": "brasp", "count": 4}, {"random": "srasp", "count": 3},
            {"random": "automata", "count": 2, "size": [2, 3]}, {"random": "regexes", "count": 2, "size": [1, 3]}],
  "trials": [{"formats": ["f64", "f32"], "engines": ["structured"], "exhaustive": 40, "random": 3, "adversarial": 4, "length": 12},
             {"kinds": ["formula"], "formats": ["bf16"], "engines": ["reference"], "exhaustive": 12, "length": 4}]})";

std::string refused(const std::string& text) {
  try {
    campaign_from_json(text);
  } catch (const IoError& error) {
    return error.what();
  }
  return "no error";
}

/// The report of all pieces by so many threads.
std::string report(const std::string& text, int threads, const std::string& journal = "", bool retry = false) {
  const PlannedWork work(campaign_from_json(text));
  Tally tally;
  SessionOptions options;
  options.journal = journal;
  options.retry = retry;
  const SessionOutcome outcome =
      run_session(work, *crew_of_threads(threads), options,
                  [&](std::uint64_t, const nlohmann::json& result) { tally.add(Tally::from_json(result)); });
  EXPECT_TRUE(outcome.complete);
  return report_text(work.plan().campaign(), work.pieces(), tally) +
         report_json(work.plan().campaign(), work.pieces(), tally);
}

TEST(Campaign, IsReadAndWritten) {
  const Campaign campaign = campaign_from_json(kSmall);
  EXPECT_EQ(campaign.rules.size(), 2u);
  EXPECT_EQ(campaign.random.size(), 5u);
  EXPECT_EQ(campaign.trials[1].kinds, std::vector<std::string>{"formula"});
  EXPECT_EQ(to_json(campaign_from_json(to_json(campaign))), to_json(campaign));
}

TEST(Campaign, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(refused("{"), HasSubstr("the campaign"));
  EXPECT_THAT(refused(R"({"name": "x"})"), HasSubstr("field task is missing"));
  EXPECT_THAT(refused(R"({"name": "x", "task": "dance", "rules": [], "trials": []})"), HasSubstr("field task is not"));
  EXPECT_THAT(refused(R"({"name": "x", "task": "verify", "rules": [], "trials": []})"), HasSubstr("field trials"));
  EXPECT_THAT(refused(R"({"name": "x", "task": "verify", "rules": [], "trials": [{"formats": ["f7"]}]})"),
              HasSubstr("trials[0].formats[0]"));
  EXPECT_THAT(
      refused(
          R"({"name": "x", "task": "verify", "rules": [{"random": "formulas", "count": 1, "size": [3, 2]}], "trials": []})"),
      HasSubstr("rules[0].size"));
  EXPECT_THAT(refused(R"({"name": "x", "task": "verify", "rules": [], "trials": [{"formats": ["f64"], "speed": 1}]})"),
              HasSubstr("trials[0].speed"));
  EXPECT_THAT(refused(R"({"name": "x", "task": "verify", "rules": [{"file": "/no/such/file"}], "trials": []})"),
              HasSubstr("/no/such/file"));
  EXPECT_THROW(load_campaign("no-such-campaign"), IoError);
  EXPECT_THROW(
      Plan(campaign_from_json(
          R"({"name": "x", "task": "certify", "rules": [], "recipes": ["99z"], "trials": [{"formats": ["f64"]}]})")),
      UserError);
  EXPECT_THROW(
      Plan(campaign_from_json(
          R"({"name": "x", "task": "certify", "rules": [{"text": "Q_a &"}], "trials": [{"formats": ["f64"]}]})")),
      UserError);
  EXPECT_THAT(refused(R"({"name": "x", "task": "verify", "rules": [], "trials": [{"formats": ["f64"], "length": 9}]})"),
              HasSubstr("trials[0] tries no words"));
}

/// A campaign of one kind of rules by these recipes, on a few words.
Tally tried(const std::string& rules, const std::string& recipes, const std::string& format = "f32") {
  const Plan plan(
      campaign_from_json(R"({"name": "x", "task": "verify", "rules": [)" + rules + R"(], "recipes": [)" + recipes +
                         R"(], "trials": [{"formats": [")" + format +
                         R"("], "engines": ["reference"], "exhaustive": 20, "random": 2, "length": 30}]})"));
  Tally sum;
  for (std::uint64_t piece = 0; piece < plan.pieces(); ++piece) sum.add(plan.run(piece));
  EXPECT_EQ(sum.differences(), 0u);
  EXPECT_EQ(sum.errors, 0u);
  return sum;
}

std::string wrong(const std::string& rules, const std::string& recipes) {
  try {
    tried(rules, recipes);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Campaign, RecipesTakeTheOptionsOfTheCommandLine) {
  const std::string formula = R"x({"text": "even(#<[Q_a])"})x", automaton = R"({"name": "x.regex", "text": "(ab)*"})";
  const Tally digits =
      tried(formula, R"("exact --digits", "exact-decoder --digits", "tight --decoder --gamma 20")", "bf16");
  EXPECT_EQ(digits.cells.size(), 2u) << "tight decoders look no numbers up";
  EXPECT_EQ(digits.not_covered, 1u);
  const CellKey narrow{"automaton", "scan --gamma 8 --length 65536", "f8e4m3", "reference"};
  const Tally scan = tried(automaton, R"("scan --gamma 8 --length 65536", "scan")", "f8e4m3");
  EXPECT_EQ(scan.cells.at(narrow).uncertified, 0u);
  EXPECT_GT(scan.cells.at(narrow).words, 5u);
  EXPECT_EQ(scan.cells.at({"automaton", "scan", "f8e4m3", "reference"}).uncertified, 1u) << "its gap is too great";
  // Drawn from what the flavour covers that the options choose.
  EXPECT_EQ(tried(R"({"random": "formulas", "count": 20, "size": [3, 6]})", R"("exact --decoder")").not_covered, 0u);
}

TEST(Campaign, SaysWhatIsWrongWithARecipe) {
  const std::string formula = R"({"text": "Q_a"})";
  EXPECT_THAT(wrong(formula, R"("tight --speed 3")"), HasSubstr("--speed"));
  EXPECT_THAT(wrong(formula, R"("scan --gamma x")"), HasSubstr("--gamma takes a number"));
  EXPECT_THAT(wrong(formula, R"("exact --length")"), HasSubstr("--length takes a number"));
  EXPECT_THAT(wrong(formula, R"("--digits")"), HasSubstr("no name"));
  EXPECT_THAT(wrong(formula, R"("tight --length 9")"), HasSubstr("every length"));
  EXPECT_THAT(wrong(formula, R"("12a --digits")"), HasSubstr("no digits"));
  EXPECT_THAT(wrong(formula, R"("brasp")"), HasSubstr("tight-decoder")) << "no rule of the campaign has it";
  EXPECT_THAT(wrong(formula, R"("exact --length 100000000")"), HasSubstr("8388608"));
}

/// Of 300 programs that a recipe is to make networks of, it makes 300, and of the kind that is asked for.
TEST(Campaign, ProgramsAreDrawnUntilTheRecipeCoversOne) {
  for (const std::string kind : {"brasp", "srasp"})
    for (const std::string recipe : {"exact", "exact-decoder"}) {
      const Tally tally = tried(R"({"random": ")" + kind + R"(", "count": 12})", "\"" + recipe + "\"");
      EXPECT_EQ(tally.cells.size(), 1u) << kind << recipe;
      EXPECT_EQ(tally.cells.at({kind, recipe, "f32", "reference"}).models, 12u) << kind << recipe;
    }
}

TEST(Campaign, LengthsAreThoseOfTheWordsThatWereTried) {
  const auto lengths = [](const std::string& trial) {
    const Plan plan(campaign_from_json(R"x({"name": "x", "task": "verify", "rules": [{"text": "O (Q_a & prev Q_b)"}],
        "recipes": ["tight"], "trials": [{"formats": ["f64"], )x" +
                                       trial + "}]}"));
    const Cell cell = plan.run(0).cells.begin()->second;
    return std::pair(cell.least, cell.greatest);
  };
  EXPECT_EQ(lengths(R"("exhaustive": 200, "length": 2048)"), std::pair(4ul, 4ul)) << "3 + 9 + 27 + 81 words";
  EXPECT_EQ(lengths(R"("random": 3, "length": 50)"), std::pair(50ul, 50ul));
  EXPECT_EQ(lengths(R"("exhaustive": 200, "strict": true)"), std::pair(6ul, 6ul)) << "2 + 4 + … + 64 words";
}

/// The length of exact networks is that of the recipe, or else the campaign's, or else that of the longest words.
TEST(Campaign, SaysWhichLengthExactNetworksAreMadeFor) {
  const auto certified = [](const std::string& field, const std::string& recipe, const std::string& length) {
    const Plan plan(campaign_from_json(R"({"name": "x", "task": "certify", )" + field +
                                       R"("rules": [{"text": "prev Q_a"}], "recipes": [")" + recipe +
                                       R"("], "trials": [{"formats": ["f64"])" + length + "}]}"));
    return plan.run(0).cells.begin()->second.greatest;
  };
  EXPECT_EQ(certified("", "exact", ""), lower::kExactLength);
  EXPECT_EQ(certified("", "exact", R"(, "length": 300)"), 512u);
  EXPECT_EQ(certified(R"("made_for": 65536, )", "exact", R"(, "length": 300)"), 65536u);
  EXPECT_EQ(certified(R"("made_for": 65536, )", "exact --length 4096", R"(, "length": 300)"), 4096u);
}

TEST(Campaign, OursCanBeReadByName) {
  ASSERT_GE(campaigns().size(), 4u);
  for (const NamedText& ours : campaigns()) {
    EXPECT_EQ(load_campaign(std::string(ours.name)).name, ours.name);
    EXPECT_GT(Plan(load_campaign(std::string(ours.name))).pieces(), 50u) << ours.name;
  }
}

TEST(Campaign, TheReportDoesNotDependOnTheThreads) {
  const std::string one = report(kSmall, 1);
  EXPECT_THAT(one, HasSubstr("automaton"));
  EXPECT_THAT(one, HasSubstr("\"differences\":0"));
  EXPECT_EQ(one, report(kSmall, 2));
  EXPECT_EQ(one, report(kSmall, 5));
}

TEST(Campaign, PiecesDependOnSeedAndNumberAlone) {
  const Plan plan(campaign_from_json(kSmall)), again(campaign_from_json(kSmall));
  Campaign other = campaign_from_json(kSmall);
  other.seed = 10;
  const Plan others(other);
  int differ = 0;
  for (std::uint64_t piece = plan.pieces(); piece-- > 0;) {
    EXPECT_EQ(plan.run(piece).json(), again.run(piece).json()) << piece;
    differ += plan.run(piece).json() != others.run(piece).json();
  }
  EXPECT_GT(differ, 5);
}

/// Words are neither lost nor doubled, however many pieces they are cut into, and they are those of `quench verify`.
TEST(Campaign, PartsAreTogetherTheWhole) {
  const lang::Rule rule = driver::parse("#<[Q_a] > #<[Q_b]");
  verify::Options options;
  options.exhaustive = 4;
  options.random_count = 7;
  options.adversarial_count = 25;
  options.random_length = 30;
  const model::Transformer model = driver::compile(rule).model;
  const verify::Report whole = verify::verify(model, rule, options);
  EXPECT_EQ(whole.words, 3u + 9 + 27 + 81 + 7 + 25);
  for (const std::uint64_t parts : {2, 3, 40, 1000}) {
    std::uint64_t words = 0, positions = 0;
    options.parts = parts;
    for (options.part = 0; options.part < parts; ++options.part) {
      const verify::Report part = verify::verify(model, rule, options);
      words += part.words;
      positions += part.positions;
    }
    EXPECT_EQ(words, whole.words) << parts;
    EXPECT_EQ(positions, whole.positions) << parts;
  }
}

TEST(Campaign, ABrokenPromiseIsCountedAndTold) {
  Tally tally, other;
  tally.cells[{"formula", "tight", "f64", "structured"}].differences = 3;
  tally.remark(7, "seven");
  other.remark(2, "two");
  other.errors = 1;
  Tally sum = tally, mus = other;
  sum.add(other);
  mus.add(tally);
  EXPECT_EQ(sum.json(), mus.json());
  EXPECT_EQ(sum.differences(), 3u);
  EXPECT_THAT(report_text(campaign_from_json(kSmall), 9, sum),
              HasSubstr("1 pieces could not be done\npiece 2: two\npiece 7: seven\n"));
}

/// Certificates and first failures as campaigns.
TEST(Campaign, CertifiesAndFindsFailures) {
  const std::string rest =
      R"("rules": [{"text": "prev Q_a"}, {"random": "brasp", "count": 2}], "recipes": ["tight", "brasp"],
    "trials": [{"formats": ["f32", "bf16"], "length": 40}]})";
  const std::string certify = report(R"({"name": "c", "task": "certify", )" + rest, 2);
  EXPECT_THAT(certify, HasSubstr("\"rejected\":0"));
  const std::string find = report(R"({"name": "f", "task": "find-failure", )" + rest, 2);
  EXPECT_THAT(find, HasSubstr("\"broken\":0"));
}

}  // namespace
}  // namespace quench::campaign
