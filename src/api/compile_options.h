// What compile() and inspect() share.
#pragma once

#include <quench/compile.h>

#include "lang/rule.h"
#include "lower/recipe.h"
#include "model/transformer.h"

namespace quench::api {

lower::RecipeOptions recipe_options(const CompileOptions& options);

/// As a model of our own making.
Model wrapped(model::Transformer model, const lang::Rule& rule);

/// Puts a certificate in the usual formats into the model, unless it would promise nothing.
void attach_certificate(model::Transformer& model);

}  // namespace quench::api
