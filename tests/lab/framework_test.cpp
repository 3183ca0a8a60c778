// The lab's own machinery: tables, figures, pages, and runs that stop and go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "lab/report/axis_scale.h"
#include "lab/report/fit.h"
#include "lab/report/page.h"
#include "lab/session.h"
#include "lab/report/svg.h"
#include "lab/well_formed.h"
#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using namespace lab;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LabTable, CsvComesBackAsItWas) {
  Table table({"name", "value, with unit (s)"});
  table.rows = {row("plain", 0.1), row("a,b", -1e-300), row("say \"x\"\nagain", 3), row("", std::nan(""))};
  const Table back = from_csv(to_csv(table));
  EXPECT_EQ(back.columns, table.columns);
  EXPECT_EQ(back.rows, table.rows);
  EXPECT_EQ(back.number(0, "value, with unit (s)"), 0.1);
  EXPECT_EQ(back.number(1, "value, with unit (s)"), -1e-300);
  EXPECT_TRUE(std::isnan(back.number(3, "value, with unit (s)")));
}

TEST(LabTable, NumbersAreWholeCells) {
  EXPECT_TRUE(std::isnan(to_number("12a")));
  EXPECT_TRUE(std::isnan(to_number("")));
  EXPECT_EQ(to_number("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(shown("12a"), "12a");
  EXPECT_EQ(shown("0.123456"), "0.1235");
  EXPECT_EQ(shown("1048576"), "1048576");
}

TEST(LabTable, DamagedCsvIsRefused) {
  EXPECT_THROW(from_csv("a,b\n1\n"), IoError);
  EXPECT_THROW(from_csv("a,b\n1,2,3\n"), IoError);
}

TEST(LabTable, SelectsRows) {
  Table table({"n", "x"});
  table.rows = {row(1, 5), row(2, 6), row(1, 7)};
  EXPECT_THAT(table.distinct("n"), ElementsAre("1", "2"));
  EXPECT_THAT(table.where("n", "1").numbers("x"), ElementsAre(5, 7));
  EXPECT_THROW(table.column("y"), InternalError);
}

TEST(LabFit, FindsExponents) {
  const std::vector<double> x = {1, 2, 4, 8, 16}, y = {3, 12, 48, 192, 768};
  EXPECT_NEAR(fit_power(x, y).slope, 2, 1e-12);
  EXPECT_NEAR(std::exp(fit_power(x, y).intercept), 3, 1e-12);
  const std::vector<double> bad = {1, std::nan(""), 4, 8, 0};
  EXPECT_NEAR(fit_power(bad, y).slope, 2, 1e-12);
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
}

TEST(LabFigure, TicksAreWrittenAsPeopleDo) {
  EXPECT_EQ(tick_text(1e-5, Scale::log10), "10⁻⁵");
  EXPECT_EQ(tick_text(100, Scale::log10), "100");
  EXPECT_EQ(tick_text(65536, Scale::log2), "2¹⁶");
  EXPECT_EQ(tick_text(0.25, Scale::log2), "0.25");
  EXPECT_EQ(tick_text(2.5e7, Scale::linear), "2.5·10⁷");
}

TEST(LabFigure, AxesShowTheirData) {
  const Axis log{.label = "x", .scale = Scale::log10, .low = 1e-6, .high = 1};
  const AxisScale scale(log, {1e-3}, true, 300);
  EXPECT_NEAR(scale.position(1e-3), 0.5, 1e-12);
  EXPECT_EQ(scale.position(0), 0);  // drawn on the axis
  for (const AxisScale::Tick& tick : scale.ticks()) EXPECT_TRUE(tick.position >= -1e-9 && tick.position <= 1 + 1e-9);
  const Axis linear{.label = "y"};
  const AxisScale of_one(linear, {5}, true, 300);
  EXPECT_TRUE(std::isfinite(of_one.position(5)));
  EXPECT_GE(of_one.ticks().size(), 1u);
  const AxisScale of_none(linear, {}, true, 300);
  EXPECT_TRUE(std::isfinite(of_none.position(0.5)));
}

Figure small_figure() {
  Panel lines{.title = "A <title> & more", .x = {.label = "n", .scale = Scale::log2}, .y = {.label = "y"}};
  lines.series.push_back({.label = "one \"series\"", .x = {1, 2, 4}, .y = {0.5, std::nan(""), 0.25}});
  lines.series.push_back({.label = "a bound", .x = {1, 4}, .y = {1, 1}, .reference = true});
  Panel heat{.title = "Heat", .x = {.label = "", .categories = {"a", "b"}}, .y = {.label = "", .categories = {"c"}}};
  heat.heat = HeatMap{.rows = 1, .columns = 2, .values = {0.1, 0.9}, .label = "share", .numbers = true};
  return {.panels = {lines, heat, lines}};
}

TEST(LabFigure, SvgIsWellFormedAndTheSameEveryTime) {
  const std::string svg = to_svg(small_figure());
  EXPECT_EQ(test::xml_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr("A &lt;title&gt; &amp; more"));
  EXPECT_EQ(svg, to_svg(small_figure()));
  EXPECT_EQ(to_svg({}).find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LabFigure, MalformedXmlIsNoticed) {
  EXPECT_NE(test::xml_fault("<a><b></a>"), "");
  EXPECT_NE(test::xml_fault("<a x=1/>"), "");
  EXPECT_NE(test::xml_fault("<a>&b</a>"), "");
  EXPECT_EQ(test::xml_fault("<a x=\"1\"><b/>&lt;</a>"), "");
}

/// Counts how often its cases are measured; the case `failing` throws.
struct Probe {
  std::shared_ptr<std::multiset<std::string>> measured = std::make_shared<std::multiset<std::string>>();
  std::shared_ptr<int> failing = std::make_shared<int>(-1);

  Experiment experiment() const {
    return {
        .name = "probe",
        .title = "A probe",
        .claim = "It runs.",
        .method = "By running.",
        .columns = {"k", "square"},
        .cases =
            [*this](const Settings& settings) {
              std::vector<Case> cases;
              for (int k = 0; k < (settings.quick ? 3 : 5); ++k)
                cases.push_back({"case " + std::to_string(k), [*this, k, settings] {
                                   if (k == *failing) throw std::runtime_error("stopped");
                                   measured->insert(std::to_string(k));
                                   if (k == 1) return std::vector<Row>{};  // a case may have no rows
                                   return std::vector<Row>{row(k, k * k + static_cast<int>(settings.seed))};
                                 }});
              return cases;
            },
        .report =
            [](const Table& table, const Settings&) {
              Report report;
              report.figure = small_figure();
              report.findings = {{Verdict::confirmed, "it has " + std::to_string(table.rows.size()) + " rows | bars."}};
              report.summary = table;
              return report;
            },
        .alone = true};
  }
};

class LabSession : public ::testing::Test {
 protected:
  SessionOptions options(bool quick = false) {
    return {{.quick = quick, .seed = 1}, directory_.path() / "out", false, {}};
  }
  std::string read(const char* name) { return test::read_text(directory_.path() / "out" / name); }
  bool exists(const char* name) { return std::filesystem::exists(directory_.path() / "out" / name); }
  test::TemporaryDirectory directory_;
  Probe probe_;
};

TEST_F(LabSession, WritesEverythingAndDoesNotDoItAgain) {
  const Experiment experiment = probe_.experiment();
  const Outcome first = run_experiment(experiment, options());
  EXPECT_TRUE(first.measured);
  EXPECT_EQ(probe_.measured->size(), 5u);
  EXPECT_EQ(read("probe.csv"), "k,square\n0,1\n2,5\n3,10\n4,17\n");
  EXPECT_EQ(test::xml_fault(read("probe.svg")), "");
  EXPECT_THAT(read("probe.html"), HasSubstr("<td class=\"n\">17</td>"));
  EXPECT_THAT(read("probe.md"), HasSubstr("quench lab run probe\n"));
  EXPECT_FALSE(exists("probe.part"));

  const Outcome second = run_experiment(experiment, options());
  EXPECT_FALSE(second.measured);
  EXPECT_EQ(probe_.measured->size(), 5u);
  ASSERT_EQ(second.findings.size(), 1u);
  EXPECT_EQ(second.findings[0].sentence, first.findings[0].sentence);

  SessionOptions again = options();
  again.force = true;
  EXPECT_TRUE(run_experiment(experiment, again).measured);
  EXPECT_EQ(probe_.measured->size(), 10u);
  EXPECT_TRUE(run_experiment(experiment, options(true)).measured);  // other settings, other results
  EXPECT_EQ(probe_.measured->size(), 13u);
}

TEST_F(LabSession, GoesOnWhereItStopped) {
  const Experiment experiment = probe_.experiment();
  *probe_.failing = 3;
  EXPECT_THROW(run_experiment(experiment, options()), std::runtime_error);
  EXPECT_FALSE(exists("probe.csv"));
  EXPECT_TRUE(exists("probe.part"));
  *probe_.failing = -1;
  const Outcome outcome = run_experiment(experiment, options());
  EXPECT_EQ(outcome.resumed, 3u);
  EXPECT_EQ(probe_.measured->size(), 5u);  // nothing twice
  EXPECT_EQ(read("probe.csv"), "k,square\n0,1\n2,5\n3,10\n4,17\n");
  EXPECT_FALSE(exists("probe.part"));
}

TEST_F(LabSession, DoesNotTakeOverOtherSettingsOrDamage) {
  const Experiment experiment = probe_.experiment();
  *probe_.failing = 3;
  EXPECT_THROW(run_experiment(experiment, options()), std::runtime_error);
  *probe_.failing = -1;
  SessionOptions other = options();
  other.settings.seed = 2;
  EXPECT_EQ(run_experiment(experiment, other).resumed, 0u);
  *probe_.failing = 3;
  other.settings.seed = 3;
  EXPECT_THROW(run_experiment(experiment, other), std::runtime_error);
  *probe_.failing = -1;
  const std::string journal = read("probe.part");
  for (const std::string& damaged :
       {journal.substr(0, journal.size() - 1), journal.substr(journal.find('\n') + 1), journal + "x", std::string(),
        std::string(100'000, '[') + "\n" + journal, "case,state,k,square\nhalf a li" + journal}) {
    std::ofstream(directory_.path() / "out" / "probe.part") << damaged;
    *probe_.failing = 0;  // nothing is taken over, so the first case is measured again
    EXPECT_THROW(run_experiment(experiment, other), std::runtime_error) << damaged;
    *probe_.failing = -1;
  }
  std::ofstream(directory_.path() / "out" / "probe.part") << "half a li";
  EXPECT_EQ(run_experiment(experiment, other).resumed, 0u);
  EXPECT_EQ(read("probe.csv"), "k,square\n0,3\n2,7\n3,12\n4,19\n");
}

/// A run with one seed, killed at its first journal, then one with another: the rows of the first are not the second's.
TEST_F(LabSession, RowsAndWhatTheyWereMeasuredWithAreOneFile) {
  const Experiment experiment = probe_.experiment();
  const auto journal_of = [&](std::uint64_t seed) {
    SessionOptions chosen = options();
    chosen.settings.seed = seed;
    *probe_.failing = 3;
    EXPECT_THROW(run_experiment(experiment, chosen), std::runtime_error);
    *probe_.failing = -1;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(chosen.out)) files += entry.is_regular_file();
    EXPECT_EQ(files, 1u);  // so nothing can be killed between two
    return read("probe.part");
  };
  const std::string first = journal_of(1), second = journal_of(2);
  const auto rows = [](const std::string& journal) { return journal.substr(journal.find('\n')); };
  const auto head = [](const std::string& journal) { return journal.substr(0, journal.find('\n')); };
  std::ofstream(directory_.path() / "out" / "probe.part") << head(first) + rows(second);
  EXPECT_EQ(run_experiment(experiment, options()).resumed, 0u);
  EXPECT_EQ(read("probe.csv"), "k,square\n0,1\n2,5\n3,10\n4,17\n");
}

TEST_F(LabSession, DamagedResultsAreMeasuredAgain) {
  const Experiment experiment = probe_.experiment();
  ASSERT_TRUE(run_experiment(experiment, options()).measured);
  const std::string good = read("probe.json");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    EXPECT_NE(text.find(from), std::string::npos) << from << good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& damaged :
       {std::string(), std::string("[]"), std::string("3"), deep, "{\"findings\":" + deep + "}", replaced("\"title\": ", "\"title\": 3, \"x\": "),
        replaced("\"findings\"", "\"findngs\""), replaced("\"verdict\"", "\"verdit\""), replaced("confirmed", "conformed"),
        replaced("\"findings\": [", "\"findings\": [7, "), good.substr(0, good.size() / 2)}) {
    std::ofstream(directory_.path() / "out" / "probe.json") << damaged;
    EXPECT_TRUE(run_experiment(experiment, options()).measured) << damaged.substr(0, 200);
    EXPECT_EQ(read("probe.json"), good);
  }
  const std::string known = experiments().front().name + ".json";
  std::ofstream(directory_.path() / "out" / known) << deep;
  write_index(directory_.path() / "out");
  EXPECT_TRUE(exists("index.md"));
}

TEST(LabRegistry, NamesAreUniqueAndComplete) {
  std::set<std::string> names;
  for (const Experiment& experiment : experiments()) {
    EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name;
    for (const std::string& text : {experiment.title, experiment.claim, experiment.method}) EXPECT_FALSE(text.empty());
    std::set<std::string> cases;
    for (const Case& one : experiment.cases({.quick = true}))
      EXPECT_TRUE(cases.insert(one.name).second) << experiment.name << ": " << one.name;
    EXPECT_FALSE(cases.empty()) << experiment.name;
  }
  EXPECT_EQ(nearest_experiment("gap-temprature"), "gap-temperature");
}

}  // namespace
}  // namespace quench
