// /api/verify and /api/failure: the network against its rule, word by word.
#include <cmath>

#include "studio/desk.h"

namespace quench::studio {
namespace {

/// Words up to a length over so many symbols; too many to count is very many.
double word_count(std::size_t symbols, std::uint64_t length) {
  double sum = 0;
  for (std::uint64_t k = 1; k <= length; ++k) sum += std::pow(static_cast<double>(symbols), static_cast<double>(k));
  return sum;
}

VerifyOptions verify_options(const Desk& desk, Fields& fields, std::size_t symbols) {
  VerifyOptions options;
  options.format = format_of(fields.text("format", "f64"));
  options.hard = fields.truth("hard", false);
  if (const auto length = fields.whole("exhaustive", 0, 64)) options.exhaustive = static_cast<int>(*length);
  if (const auto count = fields.whole("random_count", 0, 1'000'000)) options.random_count = *count;
  if (const auto length = fields.whole("random_length", 1, desk.limits.slow_length)) options.random_length = *length;
  options.seed = fields.whole("seed", 0, std::uint64_t{1} << 53).value_or(1);
  const double words = word_count(symbols, options.exhaustive ? static_cast<std::uint64_t>(*options.exhaustive) : 0);
  if (words > static_cast<double>(desk.limits.verify_words))
    throw over_limit("that are too many words; choose a smaller length", "verify_words",
                     static_cast<double>(desk.limits.verify_words), words);
  return options;
}

Json counterexample_json(const std::optional<Counterexample>& found) {
  if (!found) return nullptr;
  return {{"word", found->word}, {"position", found->position}, {"expected", found->expected}, {"got", found->got}};
}

}  // namespace

Reply verify(Desk& desk, Fields& fields) {
  const std::shared_ptr<KeptModel> kept = desk.models.get(fields.text("model"));
  const VerifyOptions options = verify_options(desk, fields, kept->inspection.model.symbols().size() + 1);
  fields.done();
  return desk.jobs.stream(Json::object(), [kept, options](Job& job) {
    VerifyOptions told = options;
    told.progress = [&](std::uint64_t done, std::uint64_t total) { job.progress(done, total); };
    const Report report = quench::verify(kept->rule, kept->inspection.model, told);
    return Json{{"words", report.words},
                {"positions", report.positions},
                {"differences", report.differences},
                {"exhaustive", report.exhaustive},
                {"counterexample", counterexample_json(report.counterexample)}};
  });
}

Reply failure(Desk& desk, Fields& fields) {
  const std::shared_ptr<KeptModel> kept = desk.models.get(fields.text("model"));
  FailureOptions options;
  options.format = format_of(fields.text("format", "f32"));
  options.longest = fields.whole("longest", 1, desk.limits.slow_length).value_or(desk.limits.slow_length);
  options.seed = fields.whole("seed", 0, std::uint64_t{1} << 53).value_or(1);
  fields.done();
  return desk.jobs.stream(Json::object(), [kept, options](Job& job) {
    FailureOptions told = options;
    told.progress = [&](std::uint64_t done, std::uint64_t total) { job.progress(done, total); };
    const FailureReport report = find_failure(kept->rule, kept->inspection.model, told);
    Json found = nullptr;
    if (const auto& one = report.failure)
      found = {{"length", one->length}, {"position", one->position}, {"expected", one->expected},
               {"got", one->got},       {"family", one->family},     {"whole", one->whole}};
    return Json{{"words", report.words}, {"searched", report.searched}, {"failure", found}};
  });
}

}  // namespace quench::studio
