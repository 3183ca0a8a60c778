// An exported folder against the model it was made of: that every tensor of the stock checkpoint is, number by number,
// the model's, with pins, ground and balance as [Q-pins] wants them, and that the configuration makes a program compute
// with them what the certificate speaks of. Written without src/export.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/folder_certificate.h"
#include "model/transformer.h"

namespace quench::check {

/// Why it is not; none if it is. Throws IoError if a file cannot be read.
std::optional<std::string> folder_objection(const std::filesystem::path& folder,
                                            const model::FolderCertificate& certificate,
                                            const model::Transformer& model);

}  // namespace quench::check
