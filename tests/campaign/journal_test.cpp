// Journals: what is read back, cut anywhere, and what is refused.
#include "campaign/journal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.h"
#include "campaign/session.h"
#include "support/examples.h"

namespace quench::campaign {
namespace {

/// The square of the piece.
class Squares : public Work {
 public:
  explicit Squares(std::uint64_t pieces) : pieces_(pieces) {}
  std::string name() const override { return "squares"; }
  std::string document() const override { return "squares " + std::to_string(pieces_); }
  std::uint64_t pieces() const override { return pieces_; }
  nlohmann::json run(std::uint64_t piece) const override { return piece * piece; }

 private:
  std::uint64_t pieces_;
};

class JournalTest : public testing::Test {
 protected:
  ~JournalTest() override { std::filesystem::remove(path_); }
  std::string bytes() const { return test::read_text(path_); }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }
  /// How many pieces came from the journal; all of them are there in the end.
  std::uint64_t run(std::uint64_t pieces, bool retry) const {
    const Squares work(pieces);
    std::map<std::uint64_t, nlohmann::json> results;
    SessionOptions options;
    options.journal = path_.string();
    options.retry = retry;
    const SessionOutcome outcome =
        run_session(work, *crew_of_threads(2), options, [&](std::uint64_t piece, const nlohmann::json& result) {
          EXPECT_TRUE(results.emplace(piece, result).second) << "piece " << piece << " twice";
        });
    EXPECT_TRUE(outcome.complete);
    EXPECT_EQ(results.size(), pieces);
    for (const auto& [piece, result] : results) EXPECT_EQ(result, piece * piece);
    return outcome.resumed;
  }

  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("quench-journal-" + std::to_string(::getpid()));
};

TEST_F(JournalTest, IsTakenUpWhereItWasCutOffWhereverThatIs) {
  run(6, false);
  const std::string whole = bytes();
  const std::size_t head = whole.find('\n') + 1;
  EXPECT_EQ(run(6, true), 6u);
  EXPECT_EQ(bytes(), whole);
  for (std::size_t size = head; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    const std::string kept = whole.substr(0, whole.rfind('\n', size - 1) + 1);
    EXPECT_EQ(run(6, true), static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), '\n')) - 1) << size;
    EXPECT_EQ(bytes().substr(0, kept.size()), kept);
    EXPECT_EQ(run(6, true), 6u) << "what was written behind the cut is read again";
  }
}

TEST_F(JournalTest, EndsWhereABitIsWrong) {
  run(5, false);
  const std::string whole = bytes();
  const std::size_t head = whole.find('\n') + 1;
  for (std::size_t at = head; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write(damaged);
    EXPECT_LT(run(5, true), 5u) << at;
  }
}

TEST_F(JournalTest, OfAnotherCampaignIsRefused) {
  run(5, false);
  EXPECT_THROW(run(5, false), UserError);
  EXPECT_THROW(run(6, true), UserError);
  const std::string whole = bytes();
  write("no journal\n");
  EXPECT_THROW(run(5, true), IoError);
  EXPECT_EQ(bytes(), "no journal\n") << "what is not ours stays as it is";
  write(whole);
  const Squares work(5);
  const Journal open(path_, Journal::Start::retry, work, [](std::uint64_t, const nlohmann::json&) {});
  EXPECT_THROW(run(5, true), UserError) << "two writers";
}

TEST_F(JournalTest, WithPiecesThatTheCampaignHasNotIsRefused) {
  run(2, false);
  const std::string whole = bytes();
  write(whole + journal_line(R"({"piece": 2, "result": 4})"));
  EXPECT_THROW(run(2, true), IoError);
  write(whole + journal_line(R"([])"));
  EXPECT_THROW(run(2, true), IoError);
}

TEST(JournalLine, HasItsDigits) {
  const std::string line = journal_line("{}");
  EXPECT_EQ(line, "44136fa355b3678a {}\n");  // of sha256sum
  EXPECT_EQ(journal_text("44136fa355b3678a {}"), "{}");
  EXPECT_EQ(journal_text("44136fa355b3678b {}"), "");
  EXPECT_EQ(journal_text(""), "");
}

}  // namespace
}  // namespace quench::campaign
