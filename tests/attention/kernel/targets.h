// Runs a test on every instruction set that this machine has and the kernels were compiled for.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace quench::attention::testing {

/// Instruction sets without fused multiply-add.
constexpr auto kNotFused = HWY_SSSE3 | HWY_SSE4 | HWY_SCALAR | HWY_EMU128;

/// Runs `body` once per instruction set; `fused` says whether it has fused multiply-add.
template <class Body>
void on_every_target(Body&& body) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    body((target & kNotFused) == 0);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace quench::attention::testing
