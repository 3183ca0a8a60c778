#include "run/executor.h"

#include <fmt/format.h>

#include "base/text/utf8.h"

namespace quench::run {

namespace {

using AnyExecutor = std::variant<ReferenceExecutor, StructuredExecutor>;

AnyExecutor make(const model::Transformer& transformer, const Options& options, Engine engine, bool parallel,
                 bool exact_sums) {
  if (engine == Engine::reference) return ReferenceExecutor(transformer, options);
  return StructuredExecutor(transformer, {options, engine == Engine::dense, parallel, exact_sums});
}

const char* description(Method method) {
  switch (method) {
    case Method::copy:
      return "the position before outweighs all others, linear";
    case Method::scan:
      return "prefix sums by class of keys, linear";
    case Method::lookup:
      return "window around the looked-up position, linear";
    case Method::series:
      return "geometric series by parity, linear";
    case Method::candidates:
      return "list of keys that still compete, linear";
    case Method::address:
      return "keys by the values that are asked for, linear";
    case Method::dense:
      return "every pair of positions, quadratic";
  }
  return "?";
}

}  // namespace

std::optional<Engine> engine_from(std::string_view name) {
  if (name == "auto") return Engine::automatic;
  if (name == "reference") return Engine::reference;
  if (name == "dense") return Engine::dense;
  if (name == "structured") return Engine::structured;
  return std::nullopt;
}

Engine resolve(Engine engine, const Options& options) {
  if (engine != Engine::automatic) return engine;
  const bool fast = options.format == NumberFormat::f64 || options.format == NumberFormat::f32;
  return fast && !options.hard ? Engine::structured : Engine::reference;
}

Executor::Executor(const model::Transformer& transformer, const Options& options, Engine engine, bool parallel,
                   bool exact_sums)
    : engine_(resolve(engine, options)), executor_(make(transformer, options, engine_, parallel, exact_sums)) {}

void Executor::outputs(const Word& word, Workspace& workspace, std::vector<double>& result) const {
  if (const auto* reference = std::get_if<ReferenceExecutor>(&executor_))
    reference->outputs(word, workspace.reference, result);
  else
    std::get<StructuredExecutor>(executor_).outputs(Batch::of(word), workspace.planes, result);
}

std::string explain_methods(const Executor& executor, const Executor::Workspace& workspace) {
  if (executor.engine() == Engine::reference) return "reference engine: every head by definition, quadratic\n";
  std::string text;
  for (std::size_t l = 0; l < workspace.planes.methods.size(); ++l)
    for (std::size_t h = 0; h < workspace.planes.methods[l].size(); ++h) {
      const HeadMethod& head = workspace.planes.methods[l][h];
      text += fmt::format("head {}.{} ({}): {} ({})", l, h, printable(head.name), name_of(head.method),
                          description(head.method));
      text += head.reason.empty() ? "\n" : fmt::format("; because: {}\n", head.reason);
    }
  return text.empty() ? "no attention heads\n" : text;
}

}  // namespace quench::run
