// The fast executor: f32 and f64, softmax or hard, one long word or many words of one length at once.
//
// Projections, mixing and feed-forwards are those of run/reference/reference.h to the bit, evaluated coordinate by
// coordinate (position_wise.h). Attention is what differs: each head takes the first method that its numbers allow,
//   scan · lookup · series · candidates (methods) · dense,
// decided from the weights where they suffice (foreseen.h), otherwise anew for every run from the projections
// themselves. What a head claims to be plays no part, so that no edited or ablated model can be taken for something it
// is not. Outputs of soft heads agree with the reference to
//   |difference| ≤ 2(e^{2ε} − 1 + 8nu)·max|v| + λ,   ε = (d + 12)·u·Σ_l max|q_l|·max|k_l|/(τ√d_k)   (l = 1 … d),
// u the rounding unit of the format, λ its least normal number (methods/head_range.h derives it). Heads out of range,
// hard ones, and soft ones in layers before those are run as the reference runs them (methods/definition.cpp), with a
// difference of 0: hard attention compares the scores as they are rounded there, and one rounding more or less can
// turn it to another key.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/number/matrix.h"
#include "model/transformer.h"
#include "run/batch.h"
#include "run/reference/reference.h"
#include "run/structured/method.h"

namespace quench::run {

/// How a head was run the last time.
struct HeadMethod {
  std::string name;
  Method method = Method::dense;
  std::string reason;  ///< of dense: why none of the others applied
};

struct StructuredOptions {
  Options run;           ///< f64 or f32
  bool dense = false;    ///< every head densely
  bool parallel = true;  ///< threads; the results do not depend on it
  /// Float heads of growing sharpness too sum over positions in double (methods/candidates/candidates.h): with this, and unless
  /// `dense`, every head sums as `exact-count` certificates assume (docs/certificates.md).
  bool exact_sums = false;
};

struct StructuredPlan;

/// What passes (pass.h) keep from run to run.
template <class T>
struct LaneSpace;

class StructuredExecutor {
 public:
  struct Workspace {
    std::vector<std::vector<double>> doubles;  ///< by coordinate, indexed like the batch: f64
    std::vector<std::vector<float>> floats;    ///< the same: f32
    std::shared_ptr<LaneSpace<float>> lanes_f32;
    std::shared_ptr<LaneSpace<double>> lanes_f64;
    std::vector<std::vector<HeadMethod>> methods;  ///< layer, head
  };
  /// After every sublayer (numbered as in Tenant): the residual stream, (n·lanes) × d. For tests.
  using Observer = std::function<void(int sublayer, const Matrix& residual)>;

  StructuredExecutor(const model::Transformer& transformer, const StructuredOptions& options);

  /// Runs the batch and leaves the residual stream in workspace.doubles or workspace.floats. With one word, `after`
  /// may look at it there after every sublayer.
  void run(const Batch& batch, Workspace& workspace, const std::function<void(int sublayer)>& after = {}) const;

  /// The output coordinate, indexed like the batch. Throws as ReferenceExecutor::run does.
  void outputs(const Batch& batch, Workspace& workspace, std::vector<double>& result,
               const Observer& observer = {}) const;

  /// A coordinate of the residual stream after the last layer, as the last run() in this workspace left it; `at` counts
  /// as in its batch. (outputs() need not keep the others.)
  double value(const Workspace& workspace, std::size_t coordinate, std::size_t at) const {
    return options_.run.format == NumberFormat::f32 ? static_cast<double>(workspace.floats[coordinate][at])
                                                    : workspace.doubles[coordinate][at];
  }

 private:
  template <class T>
  void run_in(const Batch& batch, Workspace& workspace, std::shared_ptr<LaneSpace<T>>& space,
              std::vector<std::vector<T>>& planes, const std::function<void(int sublayer)>& after) const;
  template <class T>
  void outputs_in(const Batch& batch, Workspace& workspace, std::shared_ptr<LaneSpace<T>>& space,
                  std::vector<double>& result, const Observer& observer) const;
  void name_methods(Workspace& workspace) const;

  std::shared_ptr<const StructuredPlan> plan_;
  StructuredOptions options_;
  std::vector<std::vector<std::string>> names_;  // of heads
};

}  // namespace quench::run
