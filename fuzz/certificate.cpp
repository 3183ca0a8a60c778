// A byte for the model, then text → certificate, or an IoError. It is made to name the model, as a forger would; one
// that the checker accepts promises no length that the certifier, which shares no code with it, does not certify.
#include <vector>

#include "base/error.h"
#include "certify/certify.h"
#include "check/check.h"
#include "driver/compile.h"
#include "fuzz/expect.h"
#include "model/certificate.h"
#include "model/file.h"

namespace {

const std::vector<quench::model::Transformer>& models() {
  static const std::vector<quench::model::Transformer> all = [] {
    std::vector<quench::model::Transformer> made;
    for (const char* text : {"Q_a S Q_b", "#<[Q_a] <= 2 * #<[Q_b] + 1", "prev Q_a & odd"})
      made.push_back(quench::driver::compile(quench::driver::parse(text)).model);
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
