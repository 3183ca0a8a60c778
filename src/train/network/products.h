// Products that add to what is there, without allocating: a training step is little else. The sums run in a fixed
// order, four terms at a time, so results do not depend on the machine's vector width.
#pragma once

#include "attention/rows.h"

namespace quench::train {

/// C += A·B
void add_product(attention::Rows<const double> a, attention::Rows<const double> b, attention::Rows<double> c);
/// C += Aᵀ·B
void add_transposed_product(attention::Rows<const double> a, attention::Rows<const double> b,
                            attention::Rows<double> c);
/// Every row of A is added to the one row `sum`.
void add_rows(attention::Rows<const double> a, attention::Rows<double> sum);

}  // namespace quench::train
