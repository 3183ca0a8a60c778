// The few products of linear algebra that attention needs, as plain loops over rows. Row vectors multiply from the
// left, as in Q = X·W_Q.
#pragma once

#include <algorithm>
#include <span>

#include "attention/rows.h"
#include "base/number/matrix.h"

namespace quench::attention {

double dot(std::span<const double> a, std::span<const double> b);
/// y += factor·x. A factor of 0 adds nothing whatever x holds: so what is masked stays out of every sum.
void add_scaled(double factor, std::span<const double> x, std::span<double> y);
/// b += a.
void add(Rows<const double> a, Rows<double> b);

Matrix product(Rows<const double> a, Rows<const double> b);             ///< A·B
Matrix product_transposed(Rows<const double> a, Rows<const double> b);  ///< A·Bᵀ
Matrix transposed_product(Rows<const double> a, Rows<const double> b);  ///< Aᵀ·B

/// x/|x| into `result` (the zero vector stays 0); returns |x|.
double unit(std::span<const double> x, std::span<double> result);
/// Adds the gradient through `unit` to d_x: (d_u − u (u·d_u))/|x|, and nothing if |x| = 0.
void unit_backward(std::span<const double> u, double norm, std::span<const double> d_u, std::span<double> d_x);

}  // namespace quench::attention
