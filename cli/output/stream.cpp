#include "cli/output/stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/arguments/source.h"
#include "run/stream/stream.h"

namespace quench::cli {
namespace {

/// Tokens of an input, read in blocks. Before it may have to wait for more, all answers so far are handed on; so each
/// token is answered at once, and a long file does not cost a system call per token.
class Tokens {
 public:
  /// A token is a character, or what stands between blanks if symbols are longer. Line ends count as blanks.
  Tokens(int input, std::string name, bool characters)
      : input_(input), name_(std::move(name)), characters_(characters), block_(1 << 16) {}

  /// Empty at the end of the input; valid up to the next call.
  const std::string& next() {
    token_.clear();
    while (at_ < end_ || refill()) {
      const char byte = block_[at_++];
      const bool blank = byte == '\n' || byte == '\r' || (!characters_ && (byte == ' ' || byte == '\t'));
      if (blank && !token_.empty()) break;
      if (blank) continue;
      token_ += byte;
      if (characters_ && token_.size() == bytes_of_character(token_[0])) break;
    }
    return token_;
  }

 private:
  static std::size_t bytes_of_character(char start) {
    const auto first = static_cast<unsigned char>(start);
    return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  }

  bool refill() {
    flush();
    ::ssize_t count = 0;
    do {
      count = ::read(input_, block_.data(), block_.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw IoError("cannot read " + name_);
    at_ = 0;
    end_ = static_cast<std::size_t>(count);
    return count > 0;
  }

  int input_;
  std::string name_;
  bool characters_;
  std::vector<char> block_;
  std::size_t at_ = 0, end_ = 0;
  std::string token_;
};

/// What tokens are to a model; of single bytes it is looked up once.
class Symbols {
 public:
  explicit Symbols(const Alphabet& alphabet) : alphabet_(alphabet) {}

  Symbol operator()(const std::string& token) {
    if (token.size() != 1) return look_up(token);
    std::optional<Symbol>& known = known_[static_cast<unsigned char>(token[0])];
    if (!known) known = look_up(token);
    return *known;
  }

 private:
  Symbol look_up(const std::string& token) const { return alphabet_.find(alphabet_.split(token).front()); }

  const Alphabet& alphabet_;
  std::array<std::optional<Symbol>, 256> known_;
};

/// Closes what it has opened.
class Input {
 public:
  explicit Input(const std::string& path)
      : file_(path.empty() || path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw IoError("cannot read " + path);
  }
  ~Input() {
    if (file_ > 0) ::close(file_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  int file() const { return file_; }

 private:
  int file_;
};

}  // namespace

std::size_t stream_tokens(const model::Transformer& model, const run::Options& options, const std::string& input,
                          bool explain, std::uint64_t longest) {
  run::StreamExecutor executor(model, options);
  if (explain) say(executor.describe());
  const Input file(input);
  Tokens tokens(file.file(), input.empty() ? "standard input" : input, model.alphabet.single_characters());
  Symbols symbols(model.alphabet);
  std::size_t count = 0;
  for (const std::string* token = &tokens.next(); !token->empty(); token = &tokens.next()) {
    if (++count > longest) break;
    print(executor.push(symbols(*token)) >= 0.5 ? "1\n" : "0\n");
  }
  flush();
  return count;
}

}  // namespace quench::cli
