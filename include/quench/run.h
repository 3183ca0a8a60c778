// Words through the network, up to the length that the model's certificate answers for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quench/answer.h>
#include <quench/format.h>
#include <quench/model.h>

namespace quench::api {

struct RunOptions {
  Format format = Format::f64;
  Engine engine = Engine::automatic;
  bool hard = false;  ///< every head attends as its softmax only means to: all weight on the greatest score
  bool uncertified =
      false;             ///< no length is refused and nothing is warned of; but `bits` answers within its proof only
  bool parallel = true;  ///< threads for long words; the answers do not depend on it
};

/// A model prepared for many words. Several threads may use one Runner at once; copies share what was prepared.
///
/// The certificate in the model counts only after it was found to be about these weights and the length in use has been
/// derived again. A model without a certificate that counts runs words of every length, and warnings() says so.
class Runner {
 public:
  /// Throws UserError where the engine cannot do what is asked.
  explicit Runner(const Model& model, const RunOptions& options = {});

  /// The answer at every position. A word is written without blanks if every symbol of the model is a single character,
  /// and with blanks between its symbols otherwise. Throws UserError on the empty word, LengthRefused beyond longest().
  Answer run(std::string_view word) const;
  /// The same for a word given symbol by symbol.
  Answer run_symbols(const std::vector<std::string>& symbols) const;
  /// The same for the numbers of symbols, in the order of Model::symbols(); the number after the last, or −1, is any other
  /// symbol. Throws UserError on other numbers.
  Answer run_numbers(std::span<const std::int32_t> numbers) const;
  /// Many words; `bits` takes them side by side. Every length is looked at before any word is run.
  std::vector<Answer> run_all(const std::vector<std::string>& words) const;
  /// run(word).accepted()
  bool accepts(std::string_view word) const;

  /// The greatest length that is not refused; 2^53 stands for no limit.
  std::uint64_t longest() const;
  /// Whether longest() is a certificate's.
  bool certified() const;
  std::vector<std::string> warnings() const;

 private:
  struct Inside;
  std::shared_ptr<const Inside> inside_;
};

/// One symbol after the other, each answered at once, for models compiled as decoders. Formats f64 and f32, soft
/// attention; the engine is its own. One thread at a time.
class Stream {
 public:
  /// Throws UserError, naming the head or position encoding, for models that need to know what comes later.
  explicit Stream(const Model& model, const RunOptions& options = {});
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  /// The truth at the next position. Throws LengthRefused beyond longest(); the stream then stays where it is.
  bool push(std::string_view symbol);
  /// Symbols since the beginning, or since the last reset().
  std::uint64_t length() const;
  /// Back to the empty word.
  void reset();

  std::uint64_t longest() const;
  bool certified() const;
  std::vector<std::string> warnings() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace quench::api
