#include "certified/runner.h"

#include <fmt/format.h>

#include "run/answers.h"

namespace quench::certified {

LengthRefused::LengthRefused(std::uint64_t refused, std::uint64_t allowed, NumberFormat format)
    : std::runtime_error(fmt::format("a word of length {}, but in {} this model is certified for n <= {} only", refused,
                                     to_string(format), allowed)),
      length(refused),
      longest(allowed) {}

void require_length(std::uint64_t length, const RunLimit& limit, NumberFormat format) {
  if (length > limit.longest) throw LengthRefused(length, limit.longest, format);
}

Runner::Runner(const model::Transformer& model, const Request& request, const lang::Rule* compiled_from)
    : model_(model), request_(request) {
  if (request.bits) {
    bits_ = std::make_unique<const BitsEngine>(model, request.options, compiled_from);
    limit_.longest = bits_->longest();
    if (!bits_->warning().empty()) limit_.warnings.push_back(bits_->warning());
    return;
  }
  if (!request.uncertified) limit_ = run_limit(model, request.options, request.engine, /*stream=*/false);
  executor_.emplace(model, request.options, request.engine, request.parallel, limit_.exact_sums);
}

std::vector<std::vector<std::int64_t>> Runner::answers(std::span<const Word> words, Workspace& workspace) const {
  for (const Word& word : words) require_length(word.size(), limit_, request_.options.format);
  if (bits_) return bits_->answers(words, workspace.bits);
  std::vector<std::vector<std::int64_t>> result;
  for (const Word& word : words) result.push_back(run::answers(model_, *executor_, word, workspace.network));
  return result;
}

std::string Runner::explanation(const Workspace& workspace) const {
  return bits_ ? bits_->explanation(workspace.bits) : run::explain_methods(*executor_, workspace.network);
}

}  // namespace quench::certified
