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

}  // namespace

Accuracy& Accuracy::operator+=(const Accuracy& other) {
  words += other.words;
  words_right += other.words_right;
  positions += other.positions;
  positions_right += other.positions_right;
  return *this;
}

Accuracy measure_accuracy(const model::Transformer& model, const std::vector<Lesson>& lessons,
                          const run::Options& options, const std::function<void()>& after_word) {
  const run::ReferenceExecutor executor(model, options);
  const auto some = [&](const tbb::blocked_range<std::size_t>& range, Accuracy accuracy) {
    run::ReferenceExecutor::Workspace workspace;
    std::vector<double> outputs;
    for (std::size_t index = range.begin(); index < range.end(); ++index) {
      executor.outputs(lessons[index].word, workspace, outputs);
      count(lessons[index], run::booleans(outputs), accuracy);
      after_word();
    }
    return accuracy;
  };
  return tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, lessons.size(), 8), Accuracy{}, some,
                              [](Accuracy a, const Accuracy& b) { return a += b; });
}

}  // namespace quench::train
