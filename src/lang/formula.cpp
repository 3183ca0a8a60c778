#include "lang/formula.h"

namespace quench::lang {

FormulaId Formula::add(const Node& node, Span span) {
  const FormulaId id = nodes_.intern(node);
  if (id.index == spans_.size()) spans_.push_back(span);
  return id;
}

std::vector<bool> Formula::reachable() const {
  std::vector<bool> reached(size(), false);
  if (!root.valid()) return reached;
  reached[root.index] = true;
  // Parents have larger ids than their children, so one pass downwards sees every parent first.
  for (std::size_t k = root.index + std::size_t{1}; k-- > 0;)
    if (reached[k]) for_each_child(FormulaId(k), [&](FormulaId child) { reached[child.index] = true; });
  return reached;
}

}  // namespace quench::lang
