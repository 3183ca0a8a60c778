#include "attention/attention.h"

namespace quench::attention {

Matrix attend(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v) {
  return attend_by_rows(attention, q, k, v);
}

Gradients attend_backward(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v,
                          const Upstream& upstream) {
  return attend_by_rows_backward(attention, q, k, v, upstream);
}

}  // namespace quench::attention
