// A byte for the model, then text → certificate, or an IoError. It is made to name the model, as a forger would; one
// that the checker accepts promises no length that the certifier, which shares no code with it, does not certify.
#include <optional>
#include <vector>

#include "base/error.h"
#include "certify/certify.h"
#include "check/check.h"
#include "fuzz/expect.h"
#include "model/certificate.h"
#include "model/file.h"
#include "support/certified_rules.h"

namespace {

const std::vector<quench::model::Transformer>& models() {
  static const std::vector<quench::model::Transformer> all = [] {
    std::vector<quench::model::Transformer> made;
    const auto make = [&](const char* text, const char* recipe = "auto", std::optional<std::size_t> length = {}) {
      made.push_back(quench::test::compiled({text, recipe, std::nullopt, false, length}));
    };
    make("Q_a S Q_b");
    make("#<[Q_a] <= 2 * #<[Q_b] + 1");
    make("prev Q_a & odd");
    make("odd(#<[Q_a])", "exact", 32);
    make("#<[Q_a] >= #>[Q_b]", "exact", 32);
    made.push_back(quench::test::compiled({"(b*ab*a)*b*", "scan", std::nullopt, false, 64, "parity.regex"}));
    make("out(i) = #[j <= i] Q_a(j)", "exact", 32);
    make("out(i) = mean j [j <= i] Q_a(j)", "exact", 32);
    return made;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quench;
  if (size == 0) return 0;
  const model::Transformer& model = models()[data[0] % models().size()];
  const std::string text(fuzz::text_of(data + 1, size - 1));
  try {
    model::Certificate certificate = model::certificate_from_json(text);
    certificate.model = model::fingerprint(model);
    certificate.recipe = model.recipe;
    certificate.source = model.source;
    if (!check::check(certificate, model).accepted) return 0;
    for (const model::Entry& entry : certificate.entries)
      fuzz::expect(entry.finding.length == 0 || certify::holds(model, certify::Arithmetic::of(entry.format),
                                                               entry.summation, entry.finding.length),
                   "a length that is not certified was accepted: " + text);
  } catch (const IoError&) {
  }
  return 0;
}
