// Bytes → model file, or an IoError. What loads can be written, is read back as itself, and runs.
#include "base/error.h"
#include "certified/allowance.h"
#include "fuzz/expect.h"
#include "model/file.h"
#include "run/executor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quench;
  try {
    const model::Transformer model = model::load_bytes(fuzz::text_of(data, size), "fuzz");
    const std::string print = model::fingerprint(model);
    if (model.width > 4096 || model.head_count() > 256) return 0;
    certified::allowance(model, NumberFormat::f32, model::Summation::normalise_last);
    for (const auto engine : {run::Engine::reference, run::Engine::structured})
      for (const std::size_t length : {1, 5}) {
        Word word;
        for (std::size_t i = 0; i < length; ++i)
          word.push_back(model.alphabet.size() == 0 ? kUnmentioned : static_cast<Symbol>(i % model.alphabet.size()));
        run::Executor::Workspace workspace;
        std::vector<double> outputs;
        run::Executor(model, {}, engine, false).outputs(word, workspace, outputs);
      }
    fuzz::expect(model::fingerprint(model) == print, "running a model changed it");
  } catch (const IoError&) {
  } catch (const UserError&) {  // words beyond a table of positions, an integer that overflows in a predicate
  }
  return 0;
}
