// One word in, the output coordinate at every position out, by whichever engine was asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "run/reference/reference.h"
#include "run/structured/structured_executor.h"

namespace quench::run {

/// automatic: structured where the format and the weighting allow it, else reference.
enum class Engine : std::uint8_t { automatic, reference, dense, structured };

std::optional<Engine> engine_from(std::string_view name);
/// What `automatic` stands for with these options.
Engine resolve(Engine engine, const Options& options);

class Executor {
 public:
  struct Workspace {
    ReferenceExecutor::Workspace reference;
    StructuredExecutor::Workspace planes;
  };

  /// Throws UserError where the engine cannot do what the options ask. `exact_sums` is of `structured` alone: see
  /// StructuredOptions.
  Executor(const model::Transformer& transformer, const Options& options, Engine engine, bool parallel = true,
           bool exact_sums = false);

  Engine engine() const { return engine_; }
  void outputs(const Word& word, Workspace& workspace, std::vector<double>& result) const;
  /// The planes behind `dense` and `structured`, which also take batches; null for the reference.
  const StructuredExecutor* planes() const { return std::get_if<StructuredExecutor>(&executor_); }
  const ReferenceExecutor* reference() const { return std::get_if<ReferenceExecutor>(&executor_); }

 private:
  Engine engine_;
  std::variant<ReferenceExecutor, StructuredExecutor> executor_;
};

/// One line per head, of the last run in this workspace: which method, and for dense heads why.
std::string explain_methods(const Executor& executor, const Executor::Workspace& workspace);

}  // namespace quench::run
