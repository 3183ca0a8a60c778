// Tokens as they come, from standard input or a file.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace quench::cli {

class TokenReader {
 public:
  /// `path` empty or "-": standard input. `characters`: one character is one token; otherwise blanks separate them.
  TokenReader(const std::string& path, bool characters);
  /// Line ends count as blanks. Empty at the end of the input.
  std::string next();

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::FILE* input_;
  bool characters_;
};

}  // namespace quench::cli
