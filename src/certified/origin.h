// Did our compiler make this model? Certificates speak of the ideal network; that it computes the rule is the theorem of
// the recipe, which holds for the weights the recipe makes and for no others. So the rule a file names is compiled again
// and compared.
#pragma once

#include <optional>
#include <string>

#include "lang/rule.h"
#include "model/transformer.h"

namespace quench::certified {

/// What has to be what the compiler makes, bit for bit.
enum class Alike {
  network,       ///< everything that defines what the model computes; names, claims and ranges are notes
  construction,  ///< that and the heads' claims, but for weighting and temperature, which `soften` replaces
};

struct Origin {
  std::optional<lang::Rule> rule;  ///< that the model names; none if its source is not a rule
  std::string why_not;             ///< why the model is not what the compiler makes of it; empty if it is

  bool compiled() const { return why_not.empty(); }
};

/// Sharpness is not recorded in model files: the few values that the heads' claims allow are tried.
Origin origin_of(const model::Transformer& model, Alike alike = Alike::network);

/// The first part in which two models differ, in words; none if they are alike.
std::optional<std::string> difference(const model::Transformer& a, const model::Transformer& b, Alike alike);

}  // namespace quench::certified
