// The commands of quench-mpi, which rank 0 reads.
#pragma once

#include <memory>

#include "campaign/work.h"
#include "cli/command.h"

namespace quench::mpi {

void add_commands(cli::App& program);

/// The work of a document that rank 0 has sent.
std::unique_ptr<campaign::Work> work_from(const std::string& document);

}  // namespace quench::mpi
