// Text → program, or diagnostics; what is printed is read as the same program again.
#include "base/text/diagnostic.h"
#include "driver/compile.h"
#include "fuzz/expect.h"
#include "lang/print/print_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quench;
  try {
    const lang::Program program = driver::parse_program(fuzz::text_of(data, size));
    const std::string printed = lang::print(program);
    try {
      const std::string again = lang::print(driver::parse_program(printed));
      fuzz::expect(again == printed, "printed as\n" + printed + "\nand read back as\n" + again);
    } catch (const DiagnosticError& error) {
      fuzz::expect(false, "printed as\n" + printed + "\nwhich is refused: " + error.what());
    }
  } catch (const DiagnosticError&) {
  }
  return 0;
}
