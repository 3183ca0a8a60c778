// Between the plain values of the public headers and the library's own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <quench/answer.h>
#include <quench/format.h>

#include "base/number/number_format.h"
#include "base/word.h"
#include "model/certificate.h"
#include "model/transformer.h"
#include "run/executor.h"

namespace quench::api {

NumberFormat inside(Format format);
Format outside(NumberFormat format);
model::Summation inside(Summation summation);
Summation outside(model::Summation summation);
/// Not of `bits`, which is no engine of networks: throws UserError.
run::Engine inside(Engine engine);

/// Throws UserError if there is no symbol.
Word word_of(const Alphabet& alphabet, const std::vector<std::string>& symbols);

/// From one value per position as the oracle and run::answers give them, or of scores one per position and case, in
/// millionths. `symbols_of`: what a value puts out; `cases`: what the scores of a position are of.
Answer answer_of(AnswerKind kind, const std::vector<std::int64_t>& values,
                 const std::function<std::vector<std::string>(std::int64_t)>& symbols_of,
                 const std::vector<std::vector<std::string>>& cases);

AnswerKind kind_of(const model::Output& output);
/// From what run::answers reads off the model.
Answer answer_of(const model::Output& output, const std::vector<std::int64_t>& answers);

}  // namespace quench::api
