// Hard attention replaced by softmax, at a temperature that the model's own gap asks for (Theorem 26; docs/soften.md).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <quench/model.h>

namespace quench::api {

struct SoftenOptions {
  std::string gap = {};                    ///< "proof", "interval", "exhaustive"; "": the first of these that succeeds
  std::optional<std::size_t> length = {};  ///< to be reached; unset: as far as is cheap
  bool constants_of_paper = false;         ///< K1, K2 of Appendix D; otherwise ours, from the model's own norms
  std::function<void()> progress = {};     ///< called at every step of the work; what it throws ends it
};

struct Softened {
  Model model;             ///< with its certificate
  std::size_t length = 0;  ///< up to which it is right, in exact arithmetic
  std::string gap;         ///< by which way it was established
  std::string report;      ///< the derivation as a table
  std::string report_json;
};

/// Throws UserError, naming the head and the reason, where the gap cannot be established, vanishes, or does not carry
/// as far as asked.
Softened soften(const Model& model, const SoftenOptions& options = {});

}  // namespace quench::api
