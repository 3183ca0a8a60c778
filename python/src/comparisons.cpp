#include <quench/translate.h>
#include <quench/verify.h>

#include "names.h"
#include "value.h"
#include "watched.h"

namespace quench::python {
namespace {

Report verified(const Rule& rule, const Model& model, std::optional<int> exhaustive,
                std::optional<std::size_t> random_count, std::size_t random_length, std::uint64_t seed, int threads,
                const std::string& format, const std::string& engine, bool hard, const nb::object& progress) {
  VerifyOptions options{exhaustive, random_count,         random_length,        seed,
                        threads,    format_named(format), engine_named(engine), hard};
  return watched(progress, [&](Watch& watch) {
    options.progress = [&](std::uint64_t done, std::uint64_t total) { watch.report(done, total); };
    return verify(rule, model, options);
  });
}

}  // namespace

void bind_comparisons(nb::module_& module) {
  Value<Counterexample>(module, "Counterexample", "A word on which a model is wrong.")
      .field("word", &Counterexample::word, "As it is written.")
      .field("position", &Counterexample::position, "The first that differs, counted from 1.")
      .field("expected", &Counterexample::expected, "What the rule says there.")
      .field("got", &Counterexample::got, "What the model says.")
      .shown();
  Value<Report>(module, "Report", "A model against a rule, word by word.")
      .field("words", &Report::words, "How many were tried.")
      .field("positions", &Report::positions, "Of all of them.")
      .field("differences", &Report::differences, "Words on which they differ.")
      .field("exhaustive", &Report::exhaustive, "All words up to this length are among them.")
      .field("counterexample", &Report::counterexample, "The smallest found, made smaller still.")
      .shown();
  module.def("verify", &verified, nb::arg("rule"), nb::arg("model"), nb::arg("exhaustive").none(),
             nb::arg("random_count").none(), nb::arg("random_length"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("format"), nb::arg("engine"), nb::arg("hard"), nb::arg("progress").none());
  Value<Difference>(module, "Difference", "A word on which two rules differ.")
      .field("word", &Difference::word, "As it is written.")
      .field("first", &Difference::first, "What the first rule answers.")
      .field("second", &Difference::second, "What the second answers.")
      .shown();
  Value<Comparison>(module, "Comparison", "Two rules against each other.")
      .field("proved", &Comparison::proved, "Decided for words of all lengths.")
      .field("words", &Comparison::words, "Otherwise so many were tried.")
      .field("length", &Comparison::length, "All words up to it.")
      .field("difference", &Comparison::difference, "The smallest word, or None.")
      .shown();
  module.def(
      "diff",
      [](const Rule& first, const Rule& second, std::optional<std::size_t> length, bool everywhere) {
        nb::gil_scoped_release release;
        return diff(first, second, {length, everywhere});
      },
      nb::arg("first"), nb::arg("second"), nb::arg("length").none(), nb::arg("everywhere"));
}

}  // namespace quench::python
