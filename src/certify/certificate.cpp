#include "certify/certificate.h"

#include <optional>

#include "model/file.h"

namespace quench::certify {

const std::vector<NumberFormat>& usual_formats() {
  static const std::vector<NumberFormat> formats{NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16,
                                                 NumberFormat::f16};
  return formats;
}

Certificate make_certificate(const model::Transformer& model, const std::vector<NumberFormat>& formats) {
  Certificate certificate{model::fingerprint(model), model.recipe, model.source, {}};
  for (const NumberFormat format : formats) {
    std::optional<std::uint64_t> before;
    for (const Summation summation : {Summation::any, Summation::normalise_last, Summation::exact_count}) {
      if (before && (*before == kLongest || !holds(model, Arithmetic::of(format), summation, *before + 1))) continue;
      Finding finding = certify(model, Arithmetic::of(format), summation);
      if (before && finding.length <= *before) continue;
      before = finding.length;
      certificate.entries.push_back({format, summation, std::move(finding)});
    }
  }
  return certificate;
}

}  // namespace quench::certify
