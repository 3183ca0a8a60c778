// A zip archive of files as they are, without compression: the container of PyTorch's .pth files.
#pragma once

#include <string>
#include <vector>

#include "export/file_set.h"

namespace quench::exports {

/// The archive, the same bytes every time (its files date from 1980). Throws UserError from 4 GB on.
std::string zipped(const std::vector<ExportedFile>& files);

}  // namespace quench::exports
