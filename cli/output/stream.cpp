#include "cli/output/stream.h"

#include <cstdio>
#include <memory>

#include "base/error.h"
#include "cli/arguments/source.h"
#include "run/stream/stream.h"

namespace quench::cli {
namespace {

/// The next token: a character, or what stands between blanks if symbols are longer. Line ends count as blanks. Empty
/// at the end of the input.
std::string next_token(std::FILE* input, bool characters) {
  std::string token;
  for (int byte = std::getc(input); byte != EOF; byte = std::getc(input)) {
    const bool blank = byte == '\n' || byte == '\r' || (!characters && (byte == ' ' || byte == '\t'));
    if (blank && !token.empty()) break;
    if (blank) continue;
    token += static_cast<char>(byte);
    if (!characters) continue;
    const int first = static_cast<unsigned char>(token[0]);
    const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (token.size() == length) break;
  }
  return token;
}

}  // namespace

std::size_t stream_tokens(const model::Transformer& model, const run::Options& options, const std::string& input,
                          bool explain, std::uint64_t longest) {
  run::StreamExecutor executor(model, options);
  if (explain) say(executor.describe());
  const bool from_file = !input.empty() && input != "-";
  std::FILE* file = from_file ? std::fopen(input.c_str(), "rb") : stdin;
  if (!file) throw IoError("cannot read " + input);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> close(from_file ? file : nullptr, std::fclose);
  const bool characters = model.alphabet.single_characters();
  std::size_t count = 0;
  for (std::string token; !(token = next_token(file, characters)).empty();) {
    if (++count > longest) break;
    const double value = executor.push(model.alphabet.find(model.alphabet.split(token).front()));
    print(value >= 0.5 ? "1\n" : "0\n");
    flush();
  }
  return count;
}

}  // namespace quench::cli
