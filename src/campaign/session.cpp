#include "campaign/session.h"

#include <vector>

namespace quench::campaign {

SessionOutcome run_session(const Work& work, Crew& crew, const SessionOptions& options,
                           const std::function<void(std::uint64_t, const nlohmann::json&)>& take) {
  std::vector<bool> done(work.pieces());
  SessionOutcome outcome;
  const auto take_new = [&](std::uint64_t piece, const nlohmann::json& result) {
    if (done[piece]) return false;
    done[piece] = true;
    take(piece, result);
    return true;
  };
  std::optional<Journal> journal;
  if (!options.journal.empty())
    journal.emplace(
        options.journal, options.retry ? Journal::Start::retry : Journal::Start::fresh, work,
        [&](std::uint64_t piece, const nlohmann::json& result) { outcome.resumed += take_new(piece, result); });
  std::vector<std::uint64_t> left;
  for (std::uint64_t piece = 0; piece < work.pieces(); ++piece)
    if (!done[piece]) left.push_back(piece);
  std::uint64_t count = outcome.resumed;
  const auto stopped = [&] { return options.stopped && options.stopped(); };
  crew.work(
      work, left,
      [&](std::uint64_t piece, const nlohmann::json& result, double seconds) {
        if (!take_new(piece, result)) return;
        if (journal) journal->add(piece, result, seconds);
        ++count;
        if (options.progress) options.progress(count, work.pieces());
      },
      stopped);
  outcome.complete = count == work.pieces();
  return outcome;
}

}  // namespace quench::campaign
