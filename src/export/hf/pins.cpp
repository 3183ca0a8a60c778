#include "export/hf/pins.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"

namespace quench::exports {

namespace {

/// One where log₂ D is odd, two where it is even: then 2P/D is a power of four.
std::size_t pairs(std::size_t width) { return std::countr_zero(width) % 2 == 1 ? 1 : 2; }

/// Gives every row of a reader the sum 0.
void ground_rows(Matrix& reader, std::size_t ground) {
  for (std::size_t row = 0; row < reader.rows; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < reader.cols; ++column) sum += reader(row, column);
    reader(row, ground) = -sum;
  }
}

/// Gives every column of a writer the sum 0.
void balance_columns(Matrix& writer, std::size_t balance) {
  for (std::size_t column = 0; column < writer.cols; ++column) {
    double sum = 0;
    for (std::size_t row = 0; row < writer.rows; ++row) sum += writer(row, column);
    writer(balance, column) = -sum;
  }
}

/// The same for tables whose rows are written.
void balance_rows(Matrix& table, std::size_t balance) { ground_rows(table, balance); }

/// The variance is formed from squares of C, which float32 has to hold.
constexpr double kGreatestPin = 0x1p60;

/// The norm of the data and the sum of their magnitudes, the balance included, which is at most the sum of the others.
struct Data {
  double norm, sum;
};

Data data_of(const std::vector<double>& magnitudes) {
  double squares = 2, sum = 2;  // a constant and a mark that the decoder may have added
  for (const double magnitude : magnitudes) {
    squares += magnitude * magnitude;
    sum += magnitude;
  }
  return {std::sqrt(squares + sum * sum), 2 * sum};
}

double constant_for(const Data& data, std::size_t pairs, bool whole) {
  constexpr double kVanishing = 12.5, kBest = 10;
  const auto at_least = [&](double margin) { return std::exp2(std::ceil(margin + std::log2(data.norm))); };
  const double great = at_least(kVanishing);
  return whole && static_cast<double>(pairs) * great + data.sum <= 0x1p24 ? great : at_least(kBest);
}

}  // namespace

StockShape shape_with_pins(StockShape least) {
  const std::size_t own = least.width;
  const std::size_t room = 2 + 4;  // ground, balance and at most two pairs
  std::size_t width = std::max(std::bit_ceil(own + room), std::bit_ceil(least.heads * least.d_head));
  least.width = width;
  least.heads = width / least.d_head;
  return least;
}

Pins add_pins(StockDecoder& decoder, const std::vector<double>& magnitudes, bool whole) {
  const std::size_t width = decoder.shape.width, count = pairs(width);
  const std::size_t ground = decoder.data_width, balance = ground + 1, first_pin = width - 2 * count;
  QUENCH_ASSERT(std::has_single_bit(width) && balance < first_pin);
  Pins pins{width, count, constant_for(data_of(magnitudes), count, whole), 1};
  if (!(pins.constant <= kGreatestPin))
    throw UserError(
        "the coordinates of this model become too great for layer normalisation in float32; ask for a shorter "
        "--context, or export to transformer-lens or onnx");
  pins.gain = std::sqrt(2 * static_cast<double>(count) / static_cast<double>(width)) * pins.constant;

  balance_rows(decoder.tokens, balance);
  balance_rows(decoder.positions, balance);
  for (std::size_t token = 0; token < decoder.tokens.rows; ++token)
    for (std::size_t pin = first_pin; pin < width; ++pin)
      decoder.tokens(token, pin) = (pin - first_pin) % 2 == 0 ? pins.constant : -pins.constant;
  for (LayerTensors& layer : decoder.layers) {
    for (HeadTensors& head : layer.heads) {
      for (Matrix* reader : {&head.q, &head.k, &head.v}) ground_rows(*reader, ground);
      balance_columns(head.o, balance);
    }
    ground_rows(layer.w1, ground);
    balance_columns(layer.w2, balance);
    double sum = 0;
    for (const double bias : layer.b2) sum += bias;
    layer.b2[balance] = -sum;
  }
  ground_rows(decoder.readout.weight, ground);
  return pins;
}

}  // namespace quench::exports
