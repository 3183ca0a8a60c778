// Programs by the recipes `exact` against the interpreter: every example, random programs, at the corners of bits, as
// decoders; certified, checked, refused where there is no construction.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "base/number/random.h"
#include "certify/certify.h"
#include "check/check.h"
#include "driver/compile.h"
#include "lang/print/print_program.h"
#include "oracle/rule.h"
#include "run/answers.h"
#include "run/reference/reference.h"
#include "support/all_words.h"
#include "support/examples.h"
#include "support/paths.h"
#include "support/random_program.h"
#include "verify/answer_table.h"

namespace quench {
namespace {

constexpr std::size_t kMillion = std::size_t{1} << 20;

lower::RecipeOptions exactly_to(std::size_t length, bool decoder = false) {
  lower::RecipeOptions options;
  options.recipe = decoder ? "exact-decoder" : "exact";
  options.length = length;
  return options;
}

/// The code of what is wrong with compiling a program; empty if nothing is.
std::string refusal(const lang::Program& program, const lower::RecipeOptions& options) {
  try {
    driver::compile(program, options);
  } catch (const DiagnosticError& error) {
    return error.diagnostics.front().code;
  }
  return "";
}

class ExactProgramCheck {
 public:
  ExactProgramCheck(const lang::Program& program, std::size_t length, const std::vector<NumberFormat>& formats,
                    bool decoder = false)
      : rule_(program),
        model_(driver::compile(program, exactly_to(length, decoder)).model),
        table_(model_, rule_),
        formats_(formats) {
    for (const NumberFormat format : formats) executors_.emplace_back(model_, run::Options{format, false});
  }
  ExactProgramCheck(const ExactProgramCheck&) = delete;

  const model::Transformer& model() const { return model_; }
  std::size_t symbols() const { return lang::alphabet(rule_).size(); }

  void expect_right_on(const Word& word) {
    const auto expected = table_.as_model_answers(oracle::evaluate(rule_, word));
    for (std::size_t k = 0; k < executors_.size(); ++k) {
      const auto got = run::answers(model_, executors_[k].run(word, workspace_));
      bool same = got.size() == expected.size();
      for (std::size_t i = 0; same && i < got.size(); ++i) same = table_.agree(expected[i], got[i]);
      if (!same && failures_++ < 2)
        ADD_FAILURE() << lang::print(std::get<lang::Program>(rule_)) << to_string(formats_[k]) << ", on "
                      << lang::alphabet(rule_).print(word) << ": expected " << ::testing::PrintToString(expected)
                      << ", got " << ::testing::PrintToString(got);
    }
  }
  void expect_right_on_short_words(std::size_t words, std::size_t longest = 7) {
    std::size_t length = 1, count = symbols() + 1;
    while (length < longest && count * (symbols() + 1) <= words) count *= symbols() + 1, ++length;
    test::for_all_words(symbols(), true, length, [&](const Word& word) { expect_right_on(word); });
  }
  void expect_right_at_random(Random& random, const std::vector<std::size_t>& lengths) {
    for (const std::size_t n : lengths) expect_right_on(random_word(random, symbols(), random.chance(0.3), n));
  }

 private:
  lang::Rule rule_;
  model::Transformer model_;
  verify::AnswerTable table_;
  std::vector<NumberFormat> formats_;
  std::vector<run::ReferenceExecutor> executors_;
  run::ReferenceExecutor::Workspace workspace_;
  int failures_ = 0;
};

std::map<std::string, lang::Program> example_programs() {
  std::map<std::string, lang::Program> found;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs")))
    found.emplace(entry.path().stem().string(), driver::parse_program(test::read_text(entry.path())));
  return found;
}

const std::vector<NumberFormat> kWideFormats{NumberFormat::f64, NumberFormat::f32};
/// They put out scores.
const std::vector<std::string> kRefused{"frac_prevs", "ngram_toy", "pair_balance"};

bool is_refused(const std::string& name) { return std::find(kRefused.begin(), kRefused.end(), name) != kRefused.end(); }

TEST(ExactPrograms, AreRightForEveryExample) {
  Random random(1);
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
    if (is_refused(name)) {
      EXPECT_EQ(refusal(program, exactly_to(kMillion)), "E128");
      continue;
    }
    ExactProgramCheck check(program, kMillion, kWideFormats);
    check.expect_right_on_short_words(300);
    check.expect_right_at_random(random, {15, 16, 17, 40, 64, 1 + random.below(100)});
  }
}

TEST(ExactProgramsSlow, AreRightForEveryExampleOnManyWords) {
  Random random(2);
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
    if (is_refused(name)) continue;
    ExactProgramCheck check(program, kMillion, kWideFormats);
    check.expect_right_on_short_words(20'000);
    for (int k = 0; k < 5; ++k) check.expect_right_at_random(random, {1 + random.below(300), 300});
  }
}

/// As long as words may be: n = N.
TEST(ExactPrograms, ReachTheLengthAskedFor) {
  Random random(3);
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
    if (is_refused(name)) continue;
    for (const std::size_t length : {std::size_t{4}, std::size_t{16}}) {
      ExactProgramCheck check(program, length, {NumberFormat::f32});
      if (length == 4) check.expect_right_on_short_words(700, length);
      check.expect_right_at_random(random, std::vector<std::size_t>(20, length));
      check.expect_right_at_random(random, std::vector<std::size_t>(10, length - 1));
      for (Symbol s = -1; s < static_cast<Symbol>(check.symbols()); ++s) check.expect_right_on(Word(length, s));
    }
  }
}

TEST(ExactPrograms, AreCertifiedToAMillion) {
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
    if (is_refused(name)) continue;
    const model::Transformer model = driver::compile(program, exactly_to(kMillion)).model;
    if (model.head_count() == 0 && model.output.kind != model::OutputKind::whole) continue;
    for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16}) {
      model::Entry entry{format, certify::Summation::any,
                         certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any)};
      const bool wide = format == NumberFormat::f64 || format == NumberFormat::f32;
      if (wide || program.is_brasp()) {
        EXPECT_EQ(entry.finding.length, name == "length" ? 2 * kMillion - 1 : kMillion) << to_string(format) << ": " << entry.finding.limiting_head << ": "
                                                  << entry.finding.reason;
      }
      EXPECT_EQ(check::objection(entry, model), std::nullopt) << to_string(format);
      if (entry.finding.length == 0) continue;
      entry.finding.length += 1;
      EXPECT_NE(check::objection(entry, model), std::nullopt) << to_string(format);
    }
  }
}

/// Halves, as far as they are certified.
TEST(ExactPrograms, AreRightInHalvesWhereTheyAreCertified) {
  Random random(4);
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
    if (is_refused(name)) continue;
    const model::Transformer model = driver::compile(program, exactly_to(64)).model;
    for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::f16}) {
      const std::size_t length =
          model.head_count() == 0
              ? 64
              : certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length;
      if (length == 0) continue;
      ExactProgramCheck check(program, 64, {format});
      check.expect_right_at_random(random, std::vector<std::size_t>(10, std::min<std::size_t>(64, length)));
    }
  }
}

/// Their masks look to the left.
TEST(ExactPrograms, AreDecodersWhereTheyLookLeft) {
  Random random(5);
  const auto all = example_programs();
  for (const char* name : {"dyck_1", "dyck_2", "dyck_3", "a_n_b_n_c_n", "shuffle_dyck_2", "induction_head",
                           "associative_recall", "k_hop_2", "flip_flop"}) {
    SCOPED_TRACE(name);
    ExactProgramCheck check(all.at(name), kMillion, kWideFormats, true);
    for (const model::Layer& layer : check.model().layers)
      for (const model::Head& head : layer.heads) EXPECT_EQ(head.mask, Mask::future);
    for (const model::PositionEncoding& encoding : check.model().position_encodings)
      EXPECT_FALSE(encoding.formula.predicate->depends_on_length());
    check.expect_right_on_short_words(100);
    check.expect_right_at_random(random, {16, 40});
  }
  for (const char* name : {"sort", "reverse", "rotate_right"})
    EXPECT_EQ(refusal(all.at(name), exactly_to(kMillion, true)), "E103") << name;
}

/// What knows positions by their bits, and has no head to stop the proof, ends where the bits do.
TEST(ExactPrograms, EndWithTheBitsOfPositions) {
  for (const char* text : {"out(i) = pos(i) > 3", "out(i) = pos(i) + 1", "n(i) = rightmost j [] pos(j) : 0\nout(i) = n(i) > 5"}) {
    const model::Transformer model = driver::compile(driver::parse_program(text), exactly_to(64)).model;
    EXPECT_EQ(model.head_count(), 0u);
    const certify::Finding found =
        certify::certify(model, certify::Arithmetic::of(NumberFormat::f32), certify::Summation::any);
    EXPECT_EQ(found.length, std::string(text).starts_with("n") ? 127u : 64u) << text;
  }
}

TEST(ExactPrograms, RefuseWhatTheyDoNotHave) {
  const auto code = [](const char* text, lower::RecipeOptions options = exactly_to(1024)) {
    return refusal(driver::parse_program(text), options);
  };
  EXPECT_EQ(code("out(i) = pos(i)"), "");
  EXPECT_EQ(code("out(i) = Q_a(i) ? 0.5 : 1.0"), "E128");
  EXPECT_EQ(code("s(i) = psum j [j <= i] pos(j)\nout(i) = s(i) > 3"), "E128");
  EXPECT_EQ(code("s(i) = 4000000000000 * pos(i)\nout(i) = s(i) > pos(i)"), "E126");
  EXPECT_EQ(code("s(i) = 3 * pos(i)\nout(i) = s(i) > 7", exactly_to(1024, true)), "E103");
  EXPECT_EQ(code("out(i) = Q_a(i)", exactly_to(lower::kLongestExact + 1)), "E107");
  lower::RecipeOptions sharp = exactly_to(16);
  sharp.gamma = 3;
  EXPECT_EQ(code("out(i) = Q_a(i)", sharp), "E102");
}

void check_random_programs(std::uint64_t seed, int wanted, test::RandomProgram::Class of, bool decoder) {
  Random random(seed);
  int checked = 0;
  for (int k = 0; k < 40 * wanted && checked < wanted; ++k) {
    const lang::Program program = driver::parse_program(test::RandomProgram(random, of).text());
    const std::size_t length = std::size_t{1} << (2 + random.below(19));
    const std::string code = refusal(program, exactly_to(length, decoder));
    if (!code.empty()) {
      EXPECT_TRUE(code == "E128" || code == "E126" || code == "E121" || code == "E125" || (decoder && code == "E103"))
          << code << "\n"
          << lang::print(program);
      continue;
    }
    ++checked;
    const model::Transformer model = driver::compile(program, exactly_to(length, decoder)).model;
    const auto holds = [&](NumberFormat format) {
      return certify::holds(model, certify::Arithmetic::of(format), certify::Summation::any,
                            std::max<std::size_t>(length, 4));
    };
    EXPECT_TRUE(holds(NumberFormat::f64)) << lang::print(program);
    // Numbers of the text may be greater than float32 has.
    ExactProgramCheck check(program, length,
                            holds(NumberFormat::f32) ? kWideFormats : std::vector{NumberFormat::f64}, decoder);
    test::for_all_words(check.symbols(), true, 4, [&](const Word& word) { check.expect_right_on(word); });
    check.expect_right_at_random(random, {std::min<std::size_t>(length, 7), std::min<std::size_t>(length, 30)});
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(checked, wanted);
}

using Class = test::RandomProgram::Class;
TEST(ExactPrograms, AreRightAtRandom) {
  check_random_programs(6, 30, Class::brasp, false);
  check_random_programs(7, 30, Class::srasp, false);
  check_random_programs(8, 15, Class::brasp, true);
}
TEST(ExactProgramsSlow, AreRightAtRandom) {
  check_random_programs(9, 300, Class::brasp, false);
  check_random_programs(10, 300, Class::srasp, false);
  check_random_programs(11, 150, Class::brasp, true);
}

}  // namespace
}  // namespace quench
