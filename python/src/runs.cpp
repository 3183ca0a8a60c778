#include <quench/run.h>

#include <span>

#include "answers.h"
#include "arrays.h"
#include "bindings.h"
#include "names.h"

namespace quench::python {
namespace {

RunOptions options_of(const std::string& format, const std::string& engine, bool hard, bool uncertified) {
  return {.format = format_named(format), .engine = engine_named(engine), .hard = hard, .uncertified = uncertified};
}

/// The answer is computed without the interpreter, and becomes Python's with it.
template <class Work>
nb::tuple answered(Work work) {
  const Answer answer = [&] {
    nb::gil_scoped_release release;
    return work();
  }();
  return to_python(answer);
}

nb::list answered_all(const Runner& runner, const std::vector<std::string>& words) {
  const std::vector<Answer> answers = [&] {
    nb::gil_scoped_release release;
    return runner.run_all(words);
  }();
  nb::list result;
  for (const Answer& answer : answers) result.append(to_python(answer));
  return result;
}

}  // namespace

void bind_runs(nb::module_& module) {
  nb::class_<Runner>(module, "Runner")
      .def(
          "__init__",
          [](Runner* self, const Model& model, const std::string& format, const std::string& engine, bool hard,
             bool uncertified) {
            const RunOptions options = options_of(format, engine, hard, uncertified);
            nb::gil_scoped_release release;
            new (self) Runner(model, options);
          },
          nb::arg("model"), nb::arg("format"), nb::arg("engine"), nb::arg("hard"), nb::arg("uncertified"))
      .def(
          "run",
          [](const Runner& runner, const std::string& word) { return answered([&] { return runner.run(word); }); },
          nb::arg("word"), nb::sig("def run(self, word: str) -> tuple[str, object, list[str]]"))
      .def(
          "run_symbols",
          [](const Runner& runner, const std::vector<std::string>& symbols) {
            return answered([&] { return runner.run_symbols(symbols); });
          },
          nb::arg("symbols"), nb::sig("def run_symbols(self, symbols: list[str]) -> tuple[str, object, list[str]]"))
      .def(
          "run_numbers",
          [](const Runner& runner, const Numbers& numbers) {
            return answered([&] { return runner.run_numbers(std::span(numbers.data(), numbers.shape(0))); });
          },
          nb::arg("numbers"),
          nb::sig("def run_numbers(self, numbers: numpy.typing.NDArray[numpy.int32]) -> tuple[str, object, list[str]]"))
      .def("run_all", &answered_all, nb::arg("words"),
           nb::sig("def run_all(self, words: list[str]) -> list[tuple[str, object, list[str]]]"))
      .def("longest", &Runner::longest)
      .def("certified", &Runner::certified)
      .def("warnings", &Runner::warnings);
  nb::class_<Stream>(module, "Stream")
      .def(
          "__init__",
          [](Stream* self, const Model& model, const std::string& format, bool uncertified) {
            new (self) Stream(model, options_of(format, "auto", false, uncertified));
          },
          nb::arg("model"), nb::arg("format"), nb::arg("uncertified"))
      .def("push", &Stream::push, nb::arg("symbol"))
      .def("length", &Stream::length)
      .def("reset", &Stream::reset)
      .def("longest", &Stream::longest)
      .def("warnings", &Stream::warnings);
}

}  // namespace quench::python
