// From a rule to a transformer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <quench/format.h>
#include <quench/model.h>
#include <quench/rule.h>

namespace quench::api {

/// Whether heads are sharpened by their temperature, or at temperature 1 by position encodings that grow.
enum class Sharpen : std::uint8_t { temperature, position };

struct CompileOptions {
  std::string recipe = "auto";          ///< auto, paper, tight, exact, or the name of a theorem: see recipes()
  std::optional<Sharpen> sharpen = {};  ///< unset: as the recipe has it
  bool decoder = false;                 ///< heads that look to the left only
  std::optional<double> gamma = {};     ///< sharpness of tie-breaks; unset: 3 for the paper's recipes, 16 for tight
  bool digits = false;                  ///< tight: positions as base-256 digits, exact in half formats
  bool certify = true;                  ///< the model carries its certificate, if one can be had (quench/certify.h)
  std::optional<std::uint64_t> length = {};  ///< exact: the longest word that it serves; unset: 2^20
  bool unshared = false;                     ///< every value has a coordinate of its own: wider, with fewer edges in its circuit
};

/// Throws RuleError if no recipe covers the rule, or the one asked for does not.
Model compile(const Rule& rule, const CompileOptions& options = {});

/// With the least sharpness, of a few, for which every word up to the length is certified in the format; by `exact` if
/// none will do and no other recipe is asked for; in engines of every kind if possible, otherwise in those that its
/// certificate names. Nothing if there is no way; `options.gamma`, `length` and `certify` play no part. Throws as above.
std::optional<Model> compile_for_length(const Rule& rule, std::uint64_t length, Format format,
                                        const CompileOptions& options = {});

struct RecipeName {
  std::string name;     ///< "12a"
  std::string theorem;  ///< "Theorem 12(a)"
};
std::vector<RecipeName> recipes();

}  // namespace quench::api
