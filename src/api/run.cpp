#include <quench/run.h>

#include <fmt/format.h>

#include <mutex>

#include "api/convert.h"
#include "api/inside.h"

namespace quench::api {
namespace {

certified::Request request_of(const RunOptions& options) {
  certified::Request request;
  request.options = {inside(options.format), options.hard};
  request.bits = options.engine == Engine::bits;
  if (!request.bits) request.engine = inside(options.engine);
  request.uncertified = options.uncertified;
  request.parallel = options.parallel;
  return request;
}

const lang::Rule* compiled_from(const Model& model) {
  return model.inside().compiled_from ? &*model.inside().compiled_from : nullptr;
}

}  // namespace

/// Buffers are kept from word to word; there are as many as threads have been here at once.
struct Runner::Inside {
  using Workspace = certified::Runner::Workspace;

  Inside(const Model& of, const RunOptions& options)
      : model(of),
        runner(model.inside().model, request_of(options), compiled_from(model)),
        certified(runner.limit().certified && !(options.uncertified && options.engine != Engine::bits)) {}

  std::vector<Answer> answers(const std::vector<Word>& words) const {
    std::unique_ptr<Workspace> workspace = take();
    std::vector<Answer> result;
    for (const std::vector<std::int64_t>& one : runner.answers(words, *workspace))
      result.push_back(answer_of(model.inside().model.output, one));
    give_back(std::move(workspace));
    return result;
  }

  std::unique_ptr<Workspace> take() const {
    const std::scoped_lock lock(mutex);
    if (idle.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> workspace = std::move(idle.back());
    idle.pop_back();
    return workspace;
  }

  void give_back(std::unique_ptr<Workspace> workspace) const {
    const std::scoped_lock lock(mutex);
    idle.push_back(std::move(workspace));
  }

  Model model;
  certified::Runner runner;
  bool certified;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Workspace>> idle;
};

Runner::Runner(const Model& model, const RunOptions& options)
    : inside_(translated([&] { return std::make_shared<const Inside>(model, options); })) {}

Answer Runner::run(std::string_view word) const {
  return translated([&] { return inside_->answers({inside_->runner.alphabet().parse(word)}).front(); });
}

Answer Runner::run_symbols(const std::vector<std::string>& symbols) const {
  return translated([&] { return inside_->answers({word_of(inside_->runner.alphabet(), symbols)}).front(); });
}

Answer Runner::run_numbers(std::span<const std::int32_t> numbers) const {
  return translated([&] {
    if (numbers.empty()) throw quench::UserError("the empty word has no last position, so no rule has a value on it");
    const auto symbols = static_cast<std::int32_t>(inside_->runner.alphabet().size());
    Word word(numbers.begin(), numbers.end());
    for (Symbol& number : word) {
      if (number < kUnmentioned || number > symbols)
        throw quench::UserError(
            fmt::format("{} is not the number of a symbol; they are 0 to {}, and {} is any other symbol", number,
                        symbols - 1, symbols));
      if (number == symbols) number = kUnmentioned;
    }
    return inside_->answers({std::move(word)}).front();
  });
}

std::vector<Answer> Runner::run_all(const std::vector<std::string>& words) const {
  return translated([&] {
    std::vector<Word> parsed;
    for (const std::string& word : words) parsed.push_back(inside_->runner.alphabet().parse(word));
    return inside_->answers(parsed);
  });
}

bool Runner::accepts(std::string_view word) const { return run(word).accepted(); }

std::uint64_t Runner::longest() const { return inside_->runner.limit().longest; }
bool Runner::certified() const { return inside_->certified; }
std::vector<std::string> Runner::warnings() const { return inside_->runner.limit().warnings; }

}  // namespace quench::api
