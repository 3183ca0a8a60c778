#include "train/accuracy.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

namespace quench::train {
namespace {

void count(const Lesson& lesson, const std::vector<std::uint8_t>& values, Accuracy& accuracy) {
  accuracy.words += 1;
  accuracy.words_right += values.back() == lesson.labels.back();
  accuracy.positions += values.size();
  for (std::size_t i = 0; i < values.size(); ++i) accuracy.positions_right += values[i] == lesson.labels[i];
}

Accuracy sum(Accuracy a, const Accuracy& b) {
  a.words += b.words;
  a.words_right += b.words_right;
  a.positions += b.positions;
  a.positions_right += b.positions_right;
  return a;
}

}  // namespace

Accuracy measure_accuracy(const model::Transformer& model, const std::vector<Lesson>& lessons,
                          const run::Options& options) {
  const run::ReferenceExecutor executor(model, options);
  const auto some = [&](const tbb::blocked_range<std::size_t>& range, Accuracy accuracy) {
    run::ReferenceExecutor::Workspace workspace;
    std::vector<double> outputs;
    for (std::size_t index = range.begin(); index < range.end(); ++index) {
      executor.outputs(lessons[index].word, workspace, outputs);
      count(lessons[index], run::booleans(outputs), accuracy);
    }
    return accuracy;
  };
  return tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, lessons.size(), 8), Accuracy{}, some, sum);
}

}  // namespace quench::train
