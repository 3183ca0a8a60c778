#include "certify/normalised/layer_norm.h"

#include "bounds/ball.h"

namespace quench::certify {

using bounds::Ball;
using bounds::Upper;

NormalisationError normalisation_error(const LayerNorm& layer_norm, const DataSize& data, const Upper& u_bound) {
  const Ball u(u_bound), one(1), pins = Ball(layer_norm.pairs) * Ball(layer_norm.constant), width(layer_norm.width);
  const Ball sum(data.sum), little = one + Ball(0x1p-6);
  const Ball total = Ball(2) * pins * Ball(layer_norm.constant);  // 2PC²
  NormalisationError error;
  error.shift = upper_of(Ball(data.drift) / width + Ball(9) * little * u * (pins + sum));
  const Ball shift(error.shift), grown = one + sum / (Ball(2) * pins);
  const Ball rounding =
      u * little *
      (Ball(20) * Ball(layer_norm.pairs) * grown * grown * (Ball(1.5) + log(width)) + Ball(2) * width + Ball(16));
  const Ball off = (Ball(data.squares) + Ball(2) * width * shift * shift + width * Ball(kNormEpsilon)) / total + rounding;
  error.scale = upper_of(off * (one + off) / Ball(2) + Ball(9) * u);
  if (!(error.scale < Upper(0x1p-8)) || !(upper_of(grown) < Upper(2))) {
    arf_pos_inf(error.scale.get());
    arf_pos_inf(error.shift.get());
  }
  return error;
}

}  // namespace quench::certify
