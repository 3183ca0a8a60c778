// The parts of a rule, and which of them the heads and coordinates of its network stand for: what has one colour where
// the two are shown side by side. Names tell it: the lowering calls what it makes after the part it makes it for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text/diagnostic.h"
#include "lang/rule.h"
#include "model/transformer.h"
#include "model/wiring.h"

namespace quench::driver {

/// A subformula, or a vector of a program.
struct Part {
  std::string
      operation;  ///< its outermost operator as it is written: "since", "&", "<="; "symbol", "predicate"; "rightmost"
  std::string text;  ///< as labels in the network have it: its name, or else the whole of it
  std::string name;  ///< what the text of the rule calls it; empty: nothing
  Span span;         ///< where it first occurs; empty: nowhere
  std::vector<std::size_t>
      operands;  ///< the parts directly within it, in the order they are written; they come before it
};

/// All parts of a rule, operands first. An automaton has those of its formula, which stand nowhere in its text.
class Parts {
 public:
  explicit Parts(const lang::Rule& rule);

  const std::vector<Part>& list() const { return list_; }
  /// The part that the name of a head or coordinate speaks of: the whole name, or what is left of it without what the
  /// lowering puts around the names of parts.
  std::optional<std::size_t> named(std::string_view name) const;

 private:
  void add_formula(const lang::Formula& formula, bool in_text);
  void add_program(const lang::Program& program);

  std::vector<Part> list_;
  std::unordered_map<std::string, std::size_t> named_;
};

/// Which parts the tenants of a model stand for, by tenant, in increasing order. One whose name tells nothing stands
/// for what it is used for, unless that is nearly everything; constants and position encodings stand for nothing.
struct TenantParts {
  std::vector<std::vector<std::size_t>> parts;
  std::vector<bool> named;  ///< whether it is the name that tells
};
TenantParts parts_of_tenants(const Parts& parts, const model::Transformer& model,
                             const std::vector<model::LayerWiring>& wiring);

/// What a head or unit is for: the parts that its name or those of the tenants it writes to tell of; if none does, the
/// parts of these tenants.
std::vector<std::size_t> parts_of(const Parts& parts, const TenantParts& of_tenants,
                                  const std::vector<model::Access>& writes, std::string_view name = {});

}  // namespace quench::driver
