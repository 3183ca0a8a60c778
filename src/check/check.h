// The independent checker of certificates. It shares no code with src/certify and src/bounds: its own arithmetic (Arb
// balls throughout), its own derivation of every line from the weights. Only the text is read by the one reader there is
// (model/certificate.h). It proves what it is told and never searches, which keeps it small.
//
// What it checks is that the weights behave like their ideal network up to the lengths written; whether that network
// computes the rule the file names is for certified/promise.h to say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/certificate.h"
#include "model/folder_certificate.h"
#include "model/transformer.h"

namespace quench::check {

struct Verdict {
  bool accepted = false;
  bool covered = true;      ///< false: of `quench soften`, and longer than is re-derived here; the reason says how far
  std::string reason;       ///< why not
  std::size_t entries = 0;  ///< how many were re-derived
  std::optional<std::uint64_t> confirmed = {};  ///< not covered: the length up to which every entry was re-derived
};

/// The model must be valid.
Verdict check(const model::Certificate& certificate, const model::Transformer& model);
/// `certificate` is JSON text, untrusted.
Verdict check(const std::string& certificate, const model::Transformer& model);

/// Why the weights do not bear out one entry; none if they do.
std::optional<std::string> objection(const model::Entry& entry, const model::Transformer& model);

/// Why the weights do not bear out one entry of an exported folder's certificate, if its layer normalisation has the pins
/// that the certificate says; none if they do. Whether the folder has them is for check/folder/folder.h to say.
std::optional<std::string> objection(const model::FolderEntry& entry, const model::FolderCertificate& certificate,
                                     const model::Transformer& model);

}  // namespace quench::check
