// The independent checker of certificates. It shares no code with src/certify and src/bounds: its own reading of the
// certificate, its own arithmetic (Arb balls throughout), its own derivation of every line from the weights. It proves
// what it is told and never searches, which keeps it small.
#pragma once

#include <cstddef>
#include <string>

#include "model/transformer.h"

namespace quench::check {

struct Verdict {
  bool accepted = false;
  bool covered = true;      ///< false: of a kind that is not re-derived here; the reason says what was looked at
  std::string reason;       ///< why not
  std::size_t entries = 0;  ///< how many were re-derived
};

/// `certificate` is JSON text, untrusted. The model must be valid.
Verdict check(const std::string& certificate, const model::Transformer& model);

}  // namespace quench::check
