#include "token_reader.h"

#include "base/error.h"

namespace quench::cli {

TokenReader::TokenReader(const std::string& path, bool characters)
    : file_(path.empty() || path == "-" ? nullptr : std::fopen(path.c_str(), "rb"), std::fclose),
      input_(file_ ? file_.get() : stdin),
      characters_(characters) {
  if (!file_ && !path.empty() && path != "-") throw IoError(path + ": cannot open it for reading");
}

std::string TokenReader::next() {
  std::string token;
  for (int byte = std::getc(input_); byte != EOF; byte = std::getc(input_)) {
    const bool blank = byte == '\n' || byte == '\r' || (!characters_ && (byte == ' ' || byte == '\t'));
    if (blank && !token.empty()) break;
    if (blank) continue;
    token += static_cast<char>(byte);
    if (!characters_) continue;
    const int first = static_cast<unsigned char>(token[0]);
    const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (token.size() == length) break;
  }
  return token;
}

}  // namespace quench::cli
