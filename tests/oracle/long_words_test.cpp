#include <filesystem>

#include "base/number/random.h"
#include "driver/compile.h"
#include "lang/random_program.h"
#include "oracle/program.h"
#include "support/examples.h"

namespace quench {
namespace {

Word drawn(Random& random, const lang::Program& program, std::size_t length, bool pair) {
  const auto kinds = static_cast<std::int64_t>(program.alphabet.size());
  const auto any = [&] { return static_cast<Symbol>(random.between(kUnmentioned, kinds - 1)); };
  const Symbol a = any(), b = any();
  Word word(length);
  for (Symbol& symbol : word) symbol = pair ? (random.chance(0.5) ? a : b) : any();
  return word;
}

void expect_same_values(const lang::Program& program, const Word& word, const std::string& name) {
  EXPECT_EQ(oracle::evaluate_all(program, word, true), oracle::evaluate_all(program, word, false)) << name;
}

TEST(LongWords, ExamplesHaveTheValuesOfTheDefinition) {
  Random random(1);
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs"))) {
    const lang::Program program = driver::parse_program(test::read_text(entry.path().string()));
    for (std::size_t length = 1; length <= 40; ++length)
      expect_same_values(program, drawn(random, program, length, length % 3 == 0), entry.path().filename().string());
    expect_same_values(program, drawn(random, program, 300, false), entry.path().filename().string());
  }
}

TEST(LongWords, RandomProgramsHaveTheValuesOfTheDefinition) {
  Random random(2);
  for (int k = 0; k < 3000; ++k) {
    using lang::RandomProgram;
    const std::string text =
        RandomProgram(random, k % 3 == 0 ? RandomProgram::Class::brasp : RandomProgram::Class::srasp).text();
    const lang::Program program = driver::parse_program(text);
    for (const std::size_t length : {1, 2, 3, 7, 24})
      expect_same_values(program, drawn(random, program, length, k % 3 == 0), text);
  }
}

/// Every mask and side, equations and inequations that hold for few positions, for many, and for all but one.
TEST(LongWords, EquationsUnderEveryMask) {
  Random random(3);
  for (const std::string side : {"leftmost", "rightmost"})
    for (const std::string mask : {"j < i", "j <= i", "j > i", "j >= i", "true"})
      for (const std::string score :
           {"as(j) = as(i)", "as(j) != as(i)", "pos(j) = as(i) + 2 and Q_a(j)", "Q_a(i) or as(i) = bs(j)",
            "Q_a(i) xor as(i) = bs(j)", "(as(i) = bs(j)) <-> (in(i) = in(j))", "in(j) != in(i)", "false"}) {
        const std::string text = "as(i) = #[j <= i] Q_a(j)\nbs(i) = #[j >= i] Q_b(j)\nout(i) = " + side + " j [" +
                                 mask + ", " + score + "] pos(j) : 0\n";
        const lang::Program program = driver::parse_program(text);
        for (std::size_t length = 1; length <= 30; ++length)
          expect_same_values(program, drawn(random, program, length, false), text);
      }
}

TEST(LongWords, AMillionPositionsTakeLinearTime) {
  const lang::Program program =
      driver::parse_program(test::read_text(test::source_path("examples/programs/dyck_2.srasp")));
  const std::vector<std::string> brackets{"(", "[", "]", ")"};
  Word word;
  for (std::size_t i = 0; i < 1'000'000; ++i) word.push_back(program.alphabet.find(brackets[i % 4]));
  const oracle::Values values = oracle::evaluate(program, word);
  for (std::size_t i = 0; i < word.size(); ++i) ASSERT_EQ(values[i], i % 4 == 3) << i;
}

}  // namespace
}  // namespace quench
