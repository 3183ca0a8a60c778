// Programs by the recipes `exact` against the interpreter: every example, random programs, at the corners of bits, as
// decoders; certified, checked, refused where there is no construction.
#include <gtest/gtest.h>

#include <algorithm>

#include "certify/certify.h"
#include "check/check.h"
#include "lang/random_program.h"
#include "lower/program/exact/exact_program_check.h"

namespace quench {
namespace {

using test::exactly_to;
using test::ExactProgramCheck;
using test::example_programs;
using test::kMillion;
using test::refusal;

const std::vector<NumberFormat> kWideFormats{NumberFormat::f64, NumberFormat::f32};
TEST(ExactPrograms, AreRightForEveryExample) {
  Random random(1);
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
    ExactProgramCheck check(program, kMillion, kWideFormats);
    check.expect_right_on_short_words(300);
    check.expect_right_at_random(random, {15, 16, 17, 40, 64, 1 + random.below(100)});
  }
}

TEST(ExactProgramsSlow, AreRightForEveryExampleOnManyWords) {
  Random random(2);
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
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
    for (const std::size_t length : {std::size_t{4}, std::size_t{16}}) {
      ExactProgramCheck check(program, length, {NumberFormat::f32});
      if (length == 4) check.expect_right_on_short_words(700, length);
      check.expect_right_at_random(random, std::vector<std::size_t>(20, length));
      check.expect_right_at_random(random, std::vector<std::size_t>(10, length - 1));
      for (Symbol s = -1; s < static_cast<Symbol>(check.symbols()); ++s) check.expect_right_on(Word(length, s));
    }
  }
}

/// 0 has the bits of 1, and N + 1 those of N: each has a mark of its own. What is asked for may be no number that is
/// stored.
TEST(ExactPrograms, MatchIntegersAtTheEndsOfTheirRange) {
  for (const char* text : {"a(i) = #[j <= i] Q_a(j)\nb(i) = #[j <= i] Q_b(j)\n"
                           "out(i) = rightmost j [true, a(j) = b(i)] pos(j) : 0",
                           "d(i) = 2 * pos(i)\nout(i) = rightmost j [true, d(j) = pos(i)] pos(j) : 0",
                           "d(i) = 2 * pos(i)\nout(i) = leftmost j [true, d(j) = pos(i) + 1] pos(j) : 0",
                           "a(i) = #[j] Q_a(j)\nd(i) = pos(i) + a(i) - 1\n"
                           "out(i) = leftmost j [true, d(j) = 2 * pos(i) - 3] pos(j) : 0"})
    for (const std::size_t length : {std::size_t{4}, std::size_t{8}}) {
      ExactProgramCheck check(driver::parse_program(text), length, kWideFormats);
      check.expect_right_on_short_words(1000, length);
      for (const std::size_t n : {length - 1, length})
        for (Symbol s = -1; s < static_cast<Symbol>(check.symbols()); ++s) check.expect_right_on(Word(n, s));
    }
}

/// What the neighbour holds is made of counts here; numbers are compared before they are clipped.
TEST(ExactPrograms, MatchIntegersUnderStrictMasks) {
  for (const char* text :
       {"a(i) = #[j <= i] Q_a(j)\nout(i) = rightmost j [j < i, a(j) = a(i)] pos(j) : 0",
        "a(i) = #[j < i] Q_a(j)\nb(i) = a(i) + Q_b(i)\nout(i) = leftmost j [j < i, b(j) = a(i)] pos(j) : 0",
        "a(i) = #[j <= i] Q_a(j)\nout(i) = leftmost j [j > i, a(j) = a(i) + 1] pos(j) : 0",
        "a(i) = #[j >= i] Q_a(j)\nb(i) = a(i) + pos(i) - 1\nout(i) = rightmost j [j > i, b(j) = b(i)] pos(j) : 0",
        "a(i) = #[j >= i] Q_a(j)\nout(i) = leftmost j [j < i, a(j) = a(i) + 1] pos(j) : 0",
        "a(i) = #[j] Q_a(j)\nb(i) = a(i) - #[j <= i] Q_b(j)\nout(i) = rightmost j [j < i, b(j) = b(i)] pos(j) : 0",
        "d(i) = #[j <= i] Q_a(j) - #[j <= i] Q_b(j)\ne(i) = d(i) + Q_b(i)\n"
        "out(i) = rightmost j [j < i, e(j) = e(i)] in(j) : '?'"})
    for (const std::size_t length : {std::size_t{4}, std::size_t{8}}) {
      ExactProgramCheck check(driver::parse_program(text), length, kWideFormats);
      check.expect_right_on_short_words(1000, length);
      for (const std::size_t n : {length - 1, length})
        for (Symbol s = -1; s < static_cast<Symbol>(check.symbols()); ++s) check.expect_right_on(Word(n, s));
    }
}

/// Comparisons and Booleans in one feed-forward, choices among choices, cases of which the first counts.
TEST(ExactPrograms, CombineComparisonsWithBooleans) {
  for (const char* text :
       {"a(i) = #[j <= i] Q_a(j)\nout(i) = a(i) >= 2 and Q_b(i) or a(i) = 1 and not Q_b(i)",
        "a(i) = #[j] Q_a(j)\nb(i) = #[j] Q_b(j)\nout(i) = a(i) = b(i) ? 'x' : a(i) > b(i) and Q_a(i) ? 'y' : 'z'",
        "a(i) = #[j] Q_a(j)\nout(i) = Q_a(i) ? (a(i) > 2 ? pos(i) : a(i)) : Q_b(i) ? 3 : a(i) = 1 ? 7 : 0",
        "a(i) = #[j <= i] Q_a(j)\nb(i) = #[j <= i] Q_b(j)\nout(i) = not (a(i) > b(i)) and not (a(i) = 0) and Q_a(i)"})
    for (const std::size_t length : {std::size_t{8}, kMillion}) {
      ExactProgramCheck check(driver::parse_program(text), length, kWideFormats);
      check.expect_right_on_short_words(2000, 7);
      EXPECT_TRUE(
          certify::holds(check.model(), certify::Arithmetic::of(NumberFormat::f32), certify::Summation::any, length))
          << text;
    }
}

TEST(ExactPrograms, AreCertifiedToAMillion) {
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
    const model::Transformer model = driver::compile(program, exactly_to(kMillion)).model;
    for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16}) {
      model::Entry entry{format, certify::Summation::any,
                         certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any)};
      const bool wide = format == NumberFormat::f64 || format == NumberFormat::f32;
      const bool scores = program.output_sort() == lang::Sort::score;  // which are millionths
      if (name == "homomorphism") {
        EXPECT_EQ(entry.finding.length, certify::kLongest);
      } else if (wide || (program.is_brasp() && !scores)) {
        EXPECT_EQ(entry.finding.length, kMillion)
            << to_string(format) << ": " << entry.finding.limiting_head << ": " << entry.finding.reason;
      }
      EXPECT_EQ(check::objection(entry, model), std::nullopt) << to_string(format);
      if (entry.finding.length == 0 || entry.finding.length == certify::kLongest) continue;
      entry.finding.length += 1;
      EXPECT_NE(check::objection(entry, model), std::nullopt) << to_string(format);
    }
  }
}

/// Choices among choices, of symbols that exclude each other; branches that cannot be; networks without a head.
TEST(ExactPrograms, AreCertifiedWhateverTheyChooseFrom) {
  for (const char* text :
       {"out(i) = pos(i) > 3 ? pos(i) : Q_a(i) ? pos(i) : Q_b(i) ? 1 : pos(i)",
        "x(i) = pos(i) > 3 ? pos(i) : Q_a(i) ? pos(i) : Q_b(i) ? 1 : pos(i)\nout(i) = #[j > i] (x(j) >= 6)",
        "out(i) = (in(i) in {'a', 'b'} ? pos(i) : Q_a(i) ? 2 : 13) >= pos(i)",
        "x(i) = rightmost j [j < i, Q_a(i) and Q_b(j) or Q_b(i) and Q_a(j)] 2 * pos(j) : pos(i)\n"
        "out(i) = rightmost j [true, x(j) = pos(i) + 1] x(j) > pos(j) : true",
        "out(i) = Q_a(i) ? \"ba\" : Q_b(i) ? \"\" : \"ab\"", "x(i) = 1\nout(i) = (Q_a(i) ? 2 : 1) = x(i) xor Q_b(i)"}) {
    SCOPED_TRACE(text);
    const lang::Program program = driver::parse_program(text);
    const model::Transformer model = driver::compile(program, exactly_to(512)).model;
    model::Entry entry{NumberFormat::f32, certify::Summation::any,
                       certify::certify(model, certify::Arithmetic::of(NumberFormat::f32), certify::Summation::any)};
    EXPECT_GE(entry.finding.length, 512u) << entry.finding.limiting_head << ": " << entry.finding.reason;
    EXPECT_EQ(check::objection(entry, model), std::nullopt);
    ExactProgramCheck check(program, 512, kWideFormats);
    check.expect_right_on_short_words(1000, 7);
  }
}

/// Sums of numbers of size n: of positions, of counts, with signs, under every mask; the clipped sum, and what is made
/// of it.
TEST(ExactPrograms, AddUpNumbersOfAnySize) {
  Random random(12);
  for (const char* text :
       {"out(i) = psum j [j <= i] pos(j)", "c(i) = #[j <= i] Q_a(j)\nout(i) = psum j [j < i] c(j)",
        "c(i) = #[j] Q_a(j)\ns(i) = psum j [j > i] (c(j) - pos(j))\nout(i) = rightmost j [true, s(j) = pos(i)] pos(j) "
        ": 0",
        "c(i) = #[j <= i] Q_a(j)\nout(i) = psum j [] (2 * c(j) - pos(j))",
        "c(i) = #[j >= i] Q_b(j)\nout(i) = psum j [j >= i, Q_a(j)] (3 * c(j) - 2 * pos(j) + 5)",
        "s(i) = psum j [j < i] (Q_a(j) ? pos(j) : -pos(j))\nt(i) = psum j [j <= i] s(j)\nout(i) = t(i)",
        "out(i) = psum j [j <= i] (Q_a(j) ? 1000000007 : Q_b(j) ? -1000000006 : 0)"}) {
    SCOPED_TRACE(text);
    const lang::Program program = driver::parse_program(text);
    for (const std::size_t length : {std::size_t{4}, std::size_t{16}, std::size_t{1024}, kMillion}) {
      ExactProgramCheck check(program, length, kWideFormats);
      model::Entry entry{
          NumberFormat::f32, certify::Summation::any,
          certify::certify(check.model(), certify::Arithmetic::of(NumberFormat::f32), certify::Summation::any)};
      EXPECT_EQ(entry.finding.length, length) << entry.finding.limiting_head << ": " << entry.finding.reason;
      EXPECT_EQ(check::objection(entry, check.model()), std::nullopt);
      const bool small = length <= 16;
      check.expect_right_on_short_words(small ? 400 : 30, std::min<std::size_t>(length, 7));
      check.expect_right_at_random(random, small ? std::vector{length, length - 1} : std::vector<std::size_t>{33, 100});
      for (Symbol s = -1; small && s < static_cast<Symbol>(check.symbols()); ++s)
        check.expect_right_on(Word(length, s));
    }
  }
}

/// Scores and means are quotients of whole numbers: of every reach, with decimals, chosen, several of a program.
TEST(ExactPrograms, PutOutQuotients) {
  Random random(13);
  for (const char* text :
       {"out(i) = mean j [j <= i] Q_a(j)", "out(i) = mean j [j >= i] Q_a(j)", "out(i) = mean j [] Q_a(j)",
        "m(i) = mean j [j <= i] Q_a(j)\nk(i) = mean j [j <= i] Q_b(j)\nout(i) = m(i) - 2 * k(i) + 0.25",
        "m(i) = mean j [] Q_a(j)\nout(i) = Q_a(i) ? m(i) - 1.5 : Q_b(i) ? 0.125 : -0.75",
        "m(i) = mean j [j >= i] Q_a(j)\nscore['a'](i) = Q_a(i) ? m(i) : 0.000001\nscore['b'](i) = 3.141593 - m(i)",
        "score['a'](i) = Q_a(i) ? -0.75 : -2.5\nscore['b'](i) = 0.5", "out(i) = 1.5"}) {
    SCOPED_TRACE(text);
    for (const std::size_t length : {std::size_t{4}, kMillion}) {
      const lang::Program program = driver::parse_program(text);
      ExactProgramCheck check(program, length, {NumberFormat::f64});
      EXPECT_EQ(check.model().output.kind, model::OutputKind::ratios);
      model::Entry entry{
          NumberFormat::f64, certify::Summation::any,
          certify::certify(check.model(), certify::Arithmetic::of(NumberFormat::f64), certify::Summation::any)};
      EXPECT_GE(entry.finding.length, length) << entry.finding.limiting_head << ": " << entry.finding.reason;
      EXPECT_EQ(check::objection(entry, check.model()), std::nullopt);
      check.expect_right_on_short_words(300, std::min<std::size_t>(length, 7));
      check.expect_right_at_random(random, {length == 4 ? length : 90});
    }
  }
}

/// A denominator that may be 0 is not proved, by either.
TEST(ExactPrograms, NeedADenominator) {
  model::Transformer model =
      driver::compile(driver::parse_program("out(i) = mean j [j <= i] Q_a(j)"), exactly_to(64)).model;
  model.output.coordinate = model.output.cases[0].coordinate;  // κ/κ
  EXPECT_FALSE(certify::holds(model, certify::Arithmetic::of(NumberFormat::f64), certify::Summation::any, 10));
  const model::Transformer right =
      driver::compile(driver::parse_program("out(i) = mean j [j <= i] Q_a(j)"), exactly_to(64)).model;
  const model::Entry entry{
      NumberFormat::f64, certify::Summation::any,
      certify::certify(right, certify::Arithmetic::of(NumberFormat::f64), certify::Summation::any)};
  EXPECT_EQ(check::objection(entry, right), std::nullopt);
  EXPECT_NE(check::objection(entry, model), std::nullopt);
}

/// Halves, as far as they are certified.
TEST(ExactPrograms, AreRightInHalvesWhereTheyAreCertified) {
  Random random(4);
  for (const auto& [name, program] : example_programs()) {
    SCOPED_TRACE(name);
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

struct ProgramSize {
  const char* name;
  std::size_t layers, heads, width;
};

/// What docs/theory-exact.md says of sizes.
TEST(ExactPrograms, HaveTheseSizes) {
  const auto all = example_programs();
  for (const ProgramSize& size : std::vector<ProgramSize>{{"reverse", 1, 1, 53},
                                                          {"associative_recall", 5, 9, 163},
                                                          {"induction_head", 2, 6, 60},
                                                          {"k_hop_3", 4, 16, 61},
                                                          {"sort", 2, 21, 51},
                                                          {"sort_unique", 1, 3, 31},
                                                          {"histogram", 2, 21, 52},
                                                          {"a_n_b_n_c_n", 3, 23, 33},
                                                          {"copy", 6, 2, 69},
                                                          {"parity", 6, 22, 70},
                                                          {"dyck_1", 7, 24, 78},
                                                          {"dyck_2", 7, 24, 82},
                                                          {"dyck_3", 7, 24, 85}}) {
    const model::Transformer model = driver::compile(all.at(size.name), exactly_to(kMillion)).model;
    EXPECT_EQ(model.layers.size(), size.layers) << size.name;
    EXPECT_EQ(model.head_count(), size.heads) << size.name;
    EXPECT_EQ(model.width, size.width) << size.name;
  }
  // DYCK-2 without a strict mask: brackets that open are found from brackets that close.
  std::string text = test::read_text(test::source_path("examples/programs/dyck_2.srasp"));
  const std::string strict = "[j < i, d(j) = d(i)]";
  text.replace(text.find(strict), strict.size(), "[j <= i, not right(in(j)) and d(j) = d(i)]");
  const model::Transformer lean = driver::compile(driver::parse_program(text), exactly_to(kMillion)).model;
  EXPECT_EQ(lean.layers.size(), 7u);
  EXPECT_EQ(lean.head_count(), 23u);
  EXPECT_EQ(lean.width, 57u);
  ExactProgramCheck(all.at("dyck_2"), lean, kWideFormats).expect_right_on_short_words(5000, 7);
  // And of words of nothing but brackets.
  const std::string others = " or er3(j)";
  text.erase(text.find(others), others.size());
  EXPECT_EQ(driver::compile(driver::parse_program(text), exactly_to(kMillion)).model.width, 56u);
}

/// What knows positions by their bits, and has no head to stop the proof, ends where the bits do.
TEST(ExactPrograms, EndWithTheBitsOfPositions) {
  for (const char* text :
       {"out(i) = pos(i) > 3", "out(i) = pos(i) + 1", "n(i) = rightmost j [] pos(j) : 0\nout(i) = n(i) > 5"}) {
    const model::Transformer model = driver::compile(driver::parse_program(text), exactly_to(64)).model;
    EXPECT_EQ(model.head_count(), 0u);
    const certify::Finding found =
        certify::certify(model, certify::Arithmetic::of(NumberFormat::f32), certify::Summation::any);
    EXPECT_EQ(found.length, 64u) << text;
  }
}

TEST(ExactPrograms, RefuseWhatTheyDoNotHave) {
  const auto code = [](const char* text, lower::RecipeOptions options = exactly_to(1024)) {
    return refusal(driver::parse_program(text), options);
  };
  EXPECT_EQ(code("out(i) = pos(i)"), "");
  EXPECT_EQ(code("out(i) = Q_a(i) ? 0.5 : 1.0"), "");
  EXPECT_EQ(code("a(i) = mean j [] Q_a(j)\nb(i) = mean j [j <= i] Q_a(j)\nout(i) = a(i) - b(i)"), "E128");
  EXPECT_EQ(code("a(i) = mean j [] Q_a(j)\nout(i) = a(i)", exactly_to(1024, true)), "E103");
  EXPECT_EQ(code("s(i) = psum j [j <= i] pos(j)\nout(i) = s(i) > 3"), "");
  EXPECT_EQ(code("s(i) = psum j [j <= i] pos(j)\nout(i) = s(i) > 3", exactly_to(1024, true)), "E103");
  EXPECT_EQ(code("s(i) = 4000000000000 * pos(i)\nout(i) = s(i) > pos(i)"), "E126");
  EXPECT_EQ(code("s(i) = 3 * pos(i)\nout(i) = s(i) > 7", exactly_to(1024, true)), "E103");
  EXPECT_EQ(code("out(i) = Q_a(i)", exactly_to(lower::kLongestExact + 1)), "E107");
  lower::RecipeOptions sharp = exactly_to(16);
  sharp.gamma = 3;
  EXPECT_EQ(code("out(i) = Q_a(i)", sharp), "E102");
}

void check_random_programs(std::uint64_t seed, int wanted, lang::RandomProgram::Class of, bool decoder) {
  Random random(seed);
  int checked = 0;
  for (int k = 0; k < 40 * wanted && checked < wanted; ++k) {
    const lang::Program program = driver::parse_program(lang::RandomProgram(random, of).text());
    const std::size_t length = std::size_t{1} << (2 + random.below(22));
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
    ExactProgramCheck check(program, length, holds(NumberFormat::f32) ? kWideFormats : std::vector{NumberFormat::f64},
                            decoder);
    test::for_all_words(check.symbols(), true, 4, [&](const Word& word) { check.expect_right_on(word); });
    check.expect_right_at_random(random, {std::min<std::size_t>(length, 7), std::min<std::size_t>(length, 30)});
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(checked, wanted);
}

using Class = lang::RandomProgram::Class;
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
