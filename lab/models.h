// Models as experiments want them: compiled from text, and changed in one respect.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/number/number_format.h"
#include "lang/rule.h"
#include "lower/recipe.h"
#include "model/transformer.h"

namespace quench::lab {

lang::Rule rule_of(std::string_view text);
model::Transformer compiled(std::string_view text, const std::string& recipe = "auto");

/// Scores of the chosen heads divided by τ: their W_Q is scaled by 1/τ and their own temperature is dropped.
model::Transformer at_temperature(model::Transformer model, double tau,
                                  const std::function<bool(const model::Head&)>& chosen);

/// Every head whose temperature depends on the length keeps the one it has at length n, whatever the length: what an
/// ordinary transformer that was right at length n does.
model::Transformer frozen_at(model::Transformer model, std::size_t n);

/// Whether a head is meant to select (not to average, and not one that is made to stay soft).
bool selects(const model::Head& head);

/// The position encoding taken away: its coordinate holds what the embedding puts there, nothing more.
model::Transformer without_position(model::Transformer model, std::size_t encoding);

}  // namespace quench::lab
