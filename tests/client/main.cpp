// Compiles a rule, runs a word through the network, and compares with the direct semantics.
#include <cstdio>

#include <quench/quench.h>

int main() {
  const quench::Rule rule = quench::parse_formula("odd(#<[Q_1])");
  const quench::Runner runner(quench::compile(rule));
  const quench::Answer answer = runner.run("0110100");
  std::printf("%d\n", answer.accepted());
  return answer == quench::evaluate(rule, "0110100") ? 0 : 1;
}
