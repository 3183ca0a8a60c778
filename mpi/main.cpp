// quench-mpi: campaigns and experiments on the ranks of an MPI program (docs/cluster.md). Rank 0 reads the command line
// and prints; the others do what they are sent.
#include <mpi.h>

#include <exception>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/arguments/arguments.h"
#include "cli/output/failure.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/version.h"
#include "mpi/commands.h"
#include "mpi/crew.h"

namespace {

using namespace quench;
using mpi::RankCrew;

int first_rank(const std::vector<std::string>& arguments) {
  try {
    RankCrew crew;
    cli::App program("quench-mpi", "Campaigns and experiments on many ranks.");
    program.set_version_flag("--version", cli::version_text());
    program.require_subcommand(1);
    mpi::add_commands(program, crew);
    program.set_usage("COMMAND ...");
    if (arguments.empty()) {
      cli::print(program.help());
      cli::flush();
      return cli::kUserText;
    }
    const int code = cli::parse_arguments(program, arguments);
    cli::flush();
    return code;
  } catch (const cli::NegativeFinding&) {
    cli::flush();
    return cli::kNegative;
  } catch (const cli::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (...) {
    const cli::Failure failure = cli::failure_of(std::current_exception());
    cli::say(failure.text);
    return failure.exit;
  }
}

int other_rank() {
  try {
    mpi::serve(mpi::work_from);
    return 0;
  } catch (...) {
    cli::say(cli::failure_of(std::current_exception()).text);
    MPI_Abort(MPI_COMM_WORLD, cli::kInternal);  // rank 0 waits for a piece that will not come
    return cli::kInternal;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int code = rank == 0 ? first_rank({argv + (argc > 0), argv + argc}) : other_rank();
  MPI_Finalize();
  return code;
}
