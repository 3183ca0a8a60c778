// Between the plain values of the public headers and the library's own.
#pragma once

#include <cstdint>
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

AnswerKind kind_of(const model::Output& output);
/// From what run::answers reads off the model.
Answer answer_of(const model::Output& output, const std::vector<std::int64_t>& answers);

}  // namespace quench::api
