// What a model answers at every position, read off its residual stream after the last layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/number/matrix.h"
#include "model/transformer.h"
#include "run/executor.h"

namespace quench::run {

/// Scores are read in millionths.
inline constexpr double kScoreUnit = 1e6;

/// Of output kind "boolean": 0 or 1, at least ½ reads as 1. Of kind "integer": n times the coordinate, rounded. Of kind
/// "string": the number of the first case whose coordinate is at least ½, or −1. Of kind "scores": millions of times
/// the coordinates of the cases, rounded; all cases of position 1, then those of position 2, … NaN reads as 0. Of kind "ratios": the same, of their
/// quotients by the output's coordinate.
std::vector<std::int64_t> answers(const model::Transformer& model, const Matrix& residual);

/// The same for words of one length, by any engine: one list per word.
std::vector<std::vector<std::int64_t>> answers(const model::Transformer& model, const Executor& executor,
                                               const Batch& batch, Executor::Workspace& workspace);

/// The same for one word. Of Boolean models nothing but the output coordinate has to be kept.
std::vector<std::int64_t> answers(const model::Transformer& model, const Executor& executor, const Word& word,
                                  Executor::Workspace& workspace);

/// What the answers put out, joined as words are written: kind "string" only. `unmentioned` stands for −1.
std::string output_text(const model::Transformer& model, const std::vector<std::int64_t>& answers,
                        const std::string& unmentioned = "?");

}  // namespace quench::run
