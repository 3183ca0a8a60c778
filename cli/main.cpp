// quench: the command line. The library throws; here every kind of error is told, and gets its exit code.
#include "cli/command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/arguments/arguments.h"
#include "cli/commands/make/compare.h"
#include "cli/output/failure.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/terminal.h"
#include "cli/output/version.h"

namespace {

using namespace quench;

/// By purpose, as the overview lists them.
void add_commands(cli::App& program) {
  program.begin_group("Make a network");
  cli::add_compile(program);
  cli::add_compare(program);
  cli::add_soften(program);
  cli::add_export(program);
  cli::add_circuits(program);
  program.begin_group("Run and look inside");
  cli::add_run(program);
  cli::add_show(program);
  cli::add_trace(program);
  cli::add_attend(program);
  cli::add_studio(program);
  program.begin_group("Prove and check");
  cli::add_verify(program);
  cli::add_certify(program);
  cli::add_check(program);
  program.begin_group("Rules and words");
  cli::add_eval(program);
  cli::add_words(program);
  cli::add_translate(program);
  cli::add_decide(program);
  cli::add_diff(program);
  program.begin_group("Learn");
  cli::add_train(program);
  cli::add_harden(program);
  program.begin_group("Measure");
  cli::add_bench(program);
  cli::add_lab(program);
  program.begin_group("Help");
  cli::add_explain(program);
  cli::add_help(program);
}

/// Planes of megabytes come and go with every head: what was handed back at once would be mapped again, page by page.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

int run_command(const std::vector<std::string>& arguments) {
  cli::App program("quench", "Turn a rule into a soft-attention transformer that computes it.");
  program.set_version_flag("--version", cli::version_text());
  program.require_subcommand(1);
  const std::string exit_codes =
      "Exit codes: 0 done, 1 a negative finding, 2 your text or arguments, 3 files, 70 a bug in quench.";
  program.footer(exit_codes);
  add_commands(program);
  // Now that the commands have taken over what is theirs, too.
  program.set_usage("COMMAND ...");
  program.footer("`quench help COMMAND` describes a command; docs/tutorial.md begins at the beginning.\n" + exit_codes);
  if (arguments.empty()) {
    cli::print(cli::folded(program.help()));
    return cli::kUserText;
  }
  try {
    return cli::parse_arguments(program, arguments);
  } catch (const cli::NegativeFinding& finding) {
    if (!finding.refused.empty() && cli::json_asked(arguments))
      cli::print(cli::to_json({cli::kNegative, "refused", finding.refused, "", {}}));
    return cli::kNegative;
  }
}

/// For people on standard error; with --json also as an object on standard output.
int tell(const cli::Failure& failure, bool json) {
  cli::say(failure.text);
  try {
    if (json) cli::print(cli::to_json(failure));
    cli::flush();
  } catch (const IoError&) {
    // Standard output is lost; standard error has said what there was to say.
  }
  return failure.exit;
}

extern "C" void end_by_signal(int signal) {
  discard_unfinished_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

int run(const std::vector<std::string>& arguments) {
  try {
    const int code = run_command(arguments);
    cli::flush();
    return code;
  } catch (const cli::Interrupted& interrupted) {
    end_by_signal(interrupted.signal);
    return cli::kInternal;
  } catch (...) {
    return tell(cli::failure_of(std::current_exception()), cli::json_asked(arguments));
  }
}

/// A file of ours must not be opened as standard output because that was closed. What stands in for a stream refuses
/// what the stream is for, so that its users hear of it.
void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1)
      static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
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
  keep_memory();
  occupy_standard_streams();
  handle_signals();
  return run({argv + std::min(argc, 1), argv + argc});
}
