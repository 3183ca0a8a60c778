#include "export/hf/promise.h"

#include <algorithm>

#include "certify/certify.h"
#include "model/file.h"

namespace quench::exports {

namespace {

bool is_single(double weight) { return static_cast<double>(static_cast<float>(weight)) == weight; }

/// Whether what readers and writers have on ground and balance is stored as it is, so that they sum to 0 exactly.
bool sums_are_stored(const StockFolder& folder, model::TensorType type) {
  if (type == model::TensorType::f64) return true;
  const std::size_t ground = folder.decoder.data_width, balance = ground + 1;
  const auto column = [](const Matrix& matrix, std::size_t c) {
    for (std::size_t row = 0; row < matrix.rows; ++row)
      if (!is_single(matrix(row, c))) return false;
    return true;
  };
  const auto row = [](const Matrix& matrix, std::size_t r) {
    for (std::size_t c = 0; c < matrix.cols; ++c)
      if (!is_single(matrix(r, c))) return false;
    return true;
  };
  bool stored = column(folder.decoder.readout.weight, ground);
  for (const LayerTensors& layer : folder.decoder.layers) {
    for (const HeadTensors& head : layer.heads)
      stored =
          stored && column(head.q, ground) && column(head.k, ground) && column(head.v, ground) && row(head.o, balance);
    stored = stored && column(layer.w1, ground) && row(layer.w2, balance) && is_single(layer.b2[balance]);
  }
  return stored;
}

}  // namespace

std::optional<model::FolderCertificate> promise_of(const model::Transformer& model, const StockFolder& folder,
                                                   const FolderOptions& options) {
  if (options.bos) return std::nullopt;
  const NumberFormat format = options.type == model::TensorType::f32 ? NumberFormat::f32 : NumberFormat::f64;
  model::FolderCertificate certificate;
  certificate.model = model::fingerprint(model);
  certificate.architecture = options.architecture == Architecture::opt ? "opt" : "gpt2";
  certificate.format = format;
  certificate.context = options.context;
  certificate.width = folder.pins.width;
  certificate.pairs = folder.pins.pairs;
  certificate.constant = folder.pins.constant;
  const bool whole = certify::computes_whole_numbers(model);
  for (const model::Moments moments : {model::Moments::any, model::Moments::two_pass}) {
    if (moments == model::Moments::two_pass && !whole) continue;  // what holds for any holds for it
    const certify::LayerNorm norm{static_cast<double>(folder.pins.width), static_cast<double>(folder.pins.pairs),
                                  folder.pins.constant, moments};
    model::FolderEntry entry{moments, 0, {}, "a weight on ground or balance is not a number of the format"};
    if (sums_are_stored(folder, options.type)) {
      const model::Finding finding =
          certify::certify(model, certify::Arithmetic::of(format), model::Summation::any, options.context, &norm);
      entry = {moments, finding.length, finding.limiting_head,
               finding.length == options.context ? "the context" : finding.reason};
    }
    certificate.entries.push_back(entry);
  }
  return certificate;
}

}  // namespace quench::exports
