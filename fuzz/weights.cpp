// Wrong numbers: a byte for the model, one for how it is run, eight for a seed of changes to its weights, then changes
// one by one (matrix, weight, value) and the word. The executors agree within the bound of run/structured.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "driver/compile.h"
#include "fuzz/expect.h"
#include "support/agreement.h"
#include "support/mutated_model.h"

namespace {

using namespace quench;

const std::vector<model::Transformer>& models() {
  static const std::vector<model::Transformer> all = [] {
    GTEST_FLAG_SET(break_on_failure, true);
    std::vector<model::Transformer> made;
    for (const char* text : {"Q_a S Q_b", "prev (Q_a U Q_b)", "#<[Q_a] <= 2 * #>[Q_b] + 1", "odd(#<[Q_a]) & next Q_b"})
      for (const char* recipe : {"tight", "paper", "exact"}) {
        lower::RecipeOptions options;
        options.recipe = recipe;
        if (options.recipe == "exact") options.length = 64;
        try {
          made.push_back(driver::compile(driver::parse(text), options).model);
        } catch (const DiagnosticError&) {
        }
      }
    return made;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 11 || size > 200) return 0;
  std::uint64_t seed = 0;
  std::memcpy(&seed, data + 2, sizeof seed);
  Random random(seed);
  const NumberFormat format = data[1] & 1 ? NumberFormat::f32 : NumberFormat::f64;
  model::Transformer model = models()[data[0] % models().size()];
  if (seed != 0) model = test::mutated_model(random, std::move(model), format);
  const std::vector<SparseMatrix*> matrices = test::matrices_of(model);
  std::size_t at = 10;
  for (; at + 4 <= size && data[at] != 255; at += 4) {
    const std::vector<double*> weights = test::weights_of(*matrices[data[at] % matrices.size()]);
    if (weights.empty()) continue;
    double& weight = *weights[data[at + 1] % weights.size()];
    weight = test::as_weight(std::ldexp(static_cast<double>(static_cast<std::int8_t>(data[at + 2])),
                                        static_cast<std::int8_t>(data[at + 3])));
  }
  Word word{0};
  for (++at; at < size && word.size() < 70; ++at)
    word.push_back(data[at] % 4 == 3 ? kUnmentioned : static_cast<Symbol>(data[at] % model.alphabet.size()));
  run::StructuredExecutor::Workspace space;
  const run::Options options{format, (data[1] & 2) != 0};
  for (const bool dense : {false, true}) test::agreement(model, word, {options, dense, false}, space);
  return 0;
}
