// Every block of docs/programs.md that is marked as a program parses, and its network equals its interpreter.
#include "lower/program/program_check.h"
#include "support/examples.h"
#include "support/paths.h"

namespace quench {
namespace {

TEST(ProgramDocumentation, EveryExampleParsesAndCompiles) {
  const std::string page = test::read_text(test::source_path("docs/programs.md"));
  const std::string opening = "```quench-program\n";
  int found = 0;
  for (std::size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at + 1), ++found) {
    const std::size_t begin = at + opening.size();
    const std::string text = page.substr(begin, page.find("```", begin) - begin);
    SCOPED_TRACE(text);
    test::ProgramCheck(driver::parse_program(text)).expect_right_to(3);
  }
  EXPECT_GE(found, 5);
}

}  // namespace
}  // namespace quench
