// Bytes → model file, or an IoError. What loads can be written, is read back as itself, and runs.
#include <cstring>
#include <vector>

#include "base/error.h"
#include "certified/allowance.h"
#include "fuzz/expect.h"
#include "model/file.h"
#include "run/executor.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Mostly the header or the weights alone, with the header's length in front made right again.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::uint64_t length = 0;
  if (size > 8) std::memcpy(&length, data, 8);
  if (seed % 8 == 0 || length == 0 || length >= size - 8) return LLVMFuzzerMutate(data, size, most);
  std::vector<std::uint8_t> header(data + 8, data + 8 + length), weights(data + 8 + length, data + size);
  std::vector<std::uint8_t>& part = seed % 8 < 6 ? header : weights;
  const std::size_t before = part.size();
  part.resize(before + most - size);
  part.resize(LLVMFuzzerMutate(part.data(), before, part.size()));
  length = header.size();
  std::memcpy(data, &length, 8);
  std::memcpy(data + 8, header.data(), header.size());
  std::memcpy(data + 8 + header.size(), weights.data(), weights.size());
  return 8 + header.size() + weights.size();
}

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
