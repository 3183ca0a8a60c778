#include "lang/step.h"

#include "base/error.h"

namespace quench::lang {

bool truth_here(Operator op, bool p, bool q, bool before, bool first) {
  switch (op) {
    case Operator::not_:
      return !q;
    case Operator::previous:
      return !first && before;
    case Operator::weak_previous:
      return first || before;
    case Operator::once:
      return q || (!first && before);
    case Operator::historically:
      return q && (first || before);
    case Operator::and_:
      return p && q;
    case Operator::or_:
      return p || q;
    case Operator::implies:
      return !p || q;
    case Operator::iff:
      return p == q;
    case Operator::xor_:
      return p != q;
    case Operator::since:
      return p && (q || (!first && before));
    case Operator::standard_since:
      return q || (p && !first && before);
    case Operator::next:
    case Operator::weak_next:
    case Operator::eventually:
    case Operator::always:
    case Operator::until:
    case Operator::standard_until:
    case Operator::weak_until:
    case Operator::release:
      break;
  }
  internal_error("not an operator of the past", __FILE__, __LINE__);
}

bool truth_ahead(Operator op, bool p, bool q, bool after, bool last) {
  switch (op) {
    case Operator::next:
      return !last && after;
    case Operator::weak_next:
      return last || after;
    case Operator::eventually:
      return q || (!last && after);
    case Operator::always:
      return q && (last || after);
    case Operator::until:
      return p && (q || (!last && after));
    case Operator::standard_until:
      return q || (p && !last && after);
    case Operator::weak_until:
      return q || (p && (last || after));
    case Operator::release:
      return q && (p || last || after);
    case Operator::not_:
    case Operator::previous:
    case Operator::weak_previous:
    case Operator::once:
    case Operator::historically:
    case Operator::and_:
    case Operator::or_:
    case Operator::implies:
    case Operator::iff:
    case Operator::xor_:
    case Operator::since:
    case Operator::standard_since:
      break;
  }
  internal_error("not an operator of the future", __FILE__, __LINE__);
}

}  // namespace quench::lang
