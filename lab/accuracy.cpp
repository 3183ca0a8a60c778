#include "lab/accuracy.h"

namespace quench::lab {

Agreement agreement(const model::Transformer& model, const std::vector<LabelledWord>& words,
                    const run::Options& options, run::Engine engine) {
  const run::Executor executor(model, options, engine, false);
  run::Executor::Workspace workspace;
  std::vector<double> outputs;
  Agreement result;
  for (const LabelledWord& labelled : words) {
    executor.outputs(labelled.word, workspace, outputs);
    const std::vector<std::uint8_t> got = run::booleans(outputs);
    std::size_t right = 0;
    for (std::size_t i = 0; i < got.size(); ++i) right += got[i] == labelled.labels[i];
    ++result.words;
    result.accepted_right += got.back() == labelled.labels.back();
    result.wholly_right += right == got.size();
    result.positions += got.size();
    result.positions_right += right;
  }
  return result;
}

}  // namespace quench::lab
