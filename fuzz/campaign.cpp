// Bytes → campaign, or an IoError: what is written is the same campaign again. And bytes as a line of a journal.
#include "campaign/campaign.h"
#include "base/error.h"
#include "campaign/journal.h"
#include "campaign/tally.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quench;
  const std::string text(fuzz::text_of(data, size));
  if (text.find("\"file\"") == std::string::npos) try {
      const std::string written = campaign::to_json(campaign::campaign_from_json(text));
      fuzz::expect(campaign::to_json(campaign::campaign_from_json(written)) == written, "another campaign: " + written);
    } catch (const IoError&) {
    }
  const std::string line = campaign::journal_line(text);
  if (!text.empty())
    fuzz::expect(campaign::journal_text(std::string_view(line).substr(0, line.size() - 1)) == text, "a line is lost");
  static_cast<void>(campaign::journal_text(text));
  try {
    const campaign::Tally tally = campaign::Tally::from_json(nlohmann::json::parse(text, nullptr, false));
    fuzz::expect(campaign::Tally::from_json(tally.json()).json() == tally.json(), "another tally");
  } catch (const IoError&) {
  }
  return 0;
}
