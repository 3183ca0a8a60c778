// README.md of an exported folder: the rule, where the weights come from, what is promised of them, how they are
// loaded.
#pragma once

#include <optional>
#include <string>

#include "export/hf/folder.h"
#include "export/hf/stock_folder.h"
#include "model/folder_certificate.h"
#include "model/transformer.h"

namespace quench::exports {

std::string model_card(const model::Transformer& model, const StockFolder& folder, const FolderOptions& options,
                       const std::optional<model::FolderCertificate>& certificate);

}  // namespace quench::exports
