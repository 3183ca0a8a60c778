// What the statements of a program and their right sides read alike: a token that must be there, or a diagnostic.
#pragma once

#include <string>
#include <string_view>

#include "parse/text/cursor.h"
#include "parse/text/reporter.h"

namespace quench::parse {

class ProgramGrammar {
 protected:
  ProgramGrammar(Cursor& cursor, Reporter& reporter) : cursor_(cursor), reporter_(reporter) {}

  bool expect(TokenKind kind, const char* what);
  bool expect_equals();
  bool at_end_of_statement();
  bool variable(std::string_view& name);
  /// Reports the token here, unless it was reported when it was read; false.
  bool malformed(std::string message);

  Cursor& cursor_;
  Reporter& reporter_;
};

}  // namespace quench::parse
