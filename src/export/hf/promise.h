// Up to which length an exported folder is right, layer normalisation included: its certificate.
#pragma once

#include <optional>

#include "export/hf/folder.h"
#include "export/hf/stock_folder.h"
#include "model/folder_certificate.h"

namespace quench::exports {

/// None with a first token: what it adds to scores is not part of the proof.
std::optional<model::FolderCertificate> promise_of(const model::Transformer& model, const StockFolder& folder,
                                                   const FolderOptions& options);

}  // namespace quench::exports
