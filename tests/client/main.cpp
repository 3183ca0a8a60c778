// Compiles a rule, runs a word through the network, and compares with the direct semantics.
#include <cstdio>

#include <driver/compile.h>
#include <oracle/evaluate.h>
#include <run/reference/reference.h>

int main() {
  const quench::lang::Formula formula = quench::driver::parse("odd(#<[Q_1])");
  const quench::model::Transformer model = quench::driver::compile(formula).model;
  const quench::Word word = formula.alphabet.parse("0110100");
  const auto values = quench::run::booleans(quench::run::outputs(model, word));
  std::printf("%d\n", values.back());
  return values == quench::oracle::evaluate(formula, word) ? 0 : 1;
}
