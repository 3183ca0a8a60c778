// The commands of quench-mpi, which rank 0 reads.
#pragma once

#include <memory>

#include "campaign/work.h"
#include "cli/command.h"
#include "mpi/crew.h"

namespace quench::mpi {

/// The commands of rank 0, which are done by `crew`.
void add_commands(cli::App& program, RankCrew& crew);

/// The work of a document that rank 0 has sent.
std::unique_ptr<campaign::Work> work_from(const std::string& document);

}  // namespace quench::mpi
