#include <quench/run.h>

#include "api/convert.h"
#include "api/inside.h"
#include "run/stream/stream.h"

namespace quench::api {
namespace {

const model::Transformer& truthful(const model::Transformer& model) {
  if (kind_of(model.output) != AnswerKind::truth)
    throw quench::UserError("a stream answers with truth values; this model answers otherwise");
  return model;
}

}  // namespace

struct Stream::Inside {
  Inside(const Model& of, const RunOptions& options)
      : model(of),
        format(inside(options.format)),
        executor(truthful(model.inside().model), {format, options.hard}),
        certified(!options.uncertified) {
    if (options.uncertified) return;
    limit = certified::run_limit(model.inside().model, {format, options.hard}, run::Engine::automatic, /*stream=*/true);
    certified = limit.certified;
  }

  bool push(std::string_view symbol) {
    certified::require_length(length + 1, limit, format);
    const double value = executor.push(model.inside().model.alphabet.find(symbol));
    ++length;
    return value >= 0.5;
  }

  Model model;
  NumberFormat format;
  run::StreamExecutor executor;
  certified::RunLimit limit;
  bool certified;
  std::uint64_t length = 0;
};

Stream::Stream(const Model& model, const RunOptions& options)
    : inside_(translated([&] { return std::make_unique<Inside>(model, options); })) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

bool Stream::push(std::string_view symbol) {
  return translated([&] { return inside_->push(symbol); });
}

std::uint64_t Stream::length() const { return inside_->length; }

void Stream::reset() {
  inside_->executor.reset();
  inside_->length = 0;
}

std::uint64_t Stream::longest() const { return inside_->limit.longest; }
bool Stream::certified() const { return inside_->certified; }
std::vector<std::string> Stream::warnings() const { return inside_->limit.warnings; }

}  // namespace quench::api
