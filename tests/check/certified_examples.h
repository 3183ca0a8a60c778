// Models with their certificates in every number format, for the tests of the checker: formulas by every recipe that has
// them, and all that tests/support/certified_rules.h lists.
#pragma once

#include <nlohmann/json.hpp>

#include "certify/certificate.h"
#include "driver/compile.h"
#include "lower/fragment.h"
#include "support/certified_rules.h"

namespace quench::check {

struct Certified {
  model::Transformer model;
  nlohmann::ordered_json certificate;
};

inline Certified certified(model::Transformer model) {
  Certified result{std::move(model), {}};
  result.certificate =
      nlohmann::ordered_json::parse(certify::to_json(certify::make_certificate(result.model, all_number_formats())));
  return result;
}

inline Certified certified(const std::string& text, std::string_view recipe, bool digits = false) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  options.digits = digits;
  return certified(driver::compile(driver::parse(text), options).model);
}

inline const std::vector<Certified>& certified_examples() {
  static const std::vector<Certified> all = [] {
    std::vector<Certified> list;
    for (const std::string text :
         {"prev Q_a", "(Q_a | Q_b) since Q_b", "Q_a U (Q_b & X Q_a)", "O Q_a & O Q_b & prev H Q_c",
          "#<[Q_a] >= 2*#<[Q_b] + 1", "#<[Q_a] = #>[Q_b]", "#<[prev Q_a & Q_b] >= 2*#>[!Q_b] + #[Q_a]", "odd(#<[Q_a])",
          "#[Q_a] >= 2", "Q_a & !Q_b"})
      for (const lower::Recipe& recipe : lower::recipes()) {
        if (!recipe.covers.covers(lower::fragment_of(driver::parse(text)).features)) continue;
        if (recipe.name == "tight-decoder" && text.starts_with("odd")) continue;  // no decoder is known
        list.push_back(certified(text, recipe.name));
        if (recipe.tight) list.push_back(certified(text, recipe.name, true));
      }
    for (const test::CertifiedRule& rule : test::certified_rules()) list.push_back(certified(test::compiled(rule)));
    return list;
  }();
  return all;
}

}  // namespace quench::check
