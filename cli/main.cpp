// quench: the command line. The library throws; here every kind of error gets its text and exit code.
#include "cli/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <new>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/text/diagnostic.h"
#include "cli/commands/compare.h"
#include "cli/shared/arguments.h"
#include "cli/shared/output.h"

namespace {

using namespace quench;

int fail(cli::ExitCode code, const std::string& message) {
  cli::say(message + (message.ends_with('\n') ? "" : "\n"));
  return code;
}

int run_command(const std::vector<std::string>& arguments) {
  cli::App program("quench", "Turn a rule into a soft-attention transformer that computes it.");
  program.set_version_flag("--version", "quench " QUENCH_VERSION);
  program.require_subcommand(1);
  program.footer("Exit codes: 0 done, 1 a negative finding, 2 your text or arguments, 3 files, 70 a bug in quench.");
  cli::add_compile(program);
  cli::add_compare(program);
  cli::add_run(program);
  cli::add_eval(program);
  cli::add_verify(program);
  cli::add_certify(program);
  cli::add_check(program);
  cli::add_show(program);
  cli::add_trace(program);
  cli::add_attend(program);
  cli::add_words(program);
  cli::add_translate(program);
  cli::add_diff(program);
  cli::add_train(program);
  cli::add_harden(program);
  cli::add_soften(program);
  cli::add_bench(program);
  cli::add_lab(program);
  cli::add_explain(program);
  try {
    return cli::parse_arguments(program, arguments);
  } catch (const cli::NegativeFinding&) {
    return cli::kNegative;
  }
}

int run(const std::vector<std::string>& arguments) {
  try {
    const int code = run_command(arguments);
    cli::flush();
    return code;
  } catch (const cli::RenderedError& error) {
    return fail(cli::kUserText, error.what());
  } catch (const DiagnosticError& error) {
    return fail(cli::kUserText, fmt::format("error: {}", error.what()));
  } catch (const UserError& error) {
    return fail(cli::kUserText, fmt::format("error: {}", error.what()));
  } catch (const IoError& error) {
    return fail(cli::kFiles, fmt::format("error: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return fail(cli::kUserText, "error: not enough memory for this");
  } catch (const std::exception& error) {
    return fail(cli::kInternal, fmt::format("internal error: {}\nThis is a bug in quench; please report it.", error.what()));
  }
}

/// A file of ours must not be opened as standard output because that was closed. What stands in for a stream refuses
/// what the stream is for, so that its users hear of it.
void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1)
      static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

extern "C" void end_by_signal(int signal) {
  discard_unfinished_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// An interrupt leaves no temporaries; a file that may not grow is an error like a full disk. What the caller chose to
/// ignore stays ignored.
void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, end_by_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  handle_signals();
  return run({argv + std::min(argc, 1), argv + argc});
}
