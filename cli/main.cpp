// quench: the command line. The library throws; here every kind of error gets its text and exit code.
#include "command.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "base/diagnostic.h"
#include "base/error.h"

namespace {

using namespace quench;

int fail(cli::ExitCode code, const std::string& message) {
  fmt::print(stderr, "{}{}", message, message.ends_with('\n') ? "" : "\n");
  return code;
}

int run(int argc, char** argv) {
  CLI::App program{"Turn a rule into a soft-attention transformer that computes it.", "quench"};
  program.set_version_flag("--version", "quench " QUENCH_VERSION);
  program.require_subcommand(1);
  program.footer("Exit codes: 0 done, 1 a negative finding, 2 your text or arguments, 3 files, 70 a bug in quench.");
  cli::add_compile(program);
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
    program.parse(argc, argv);
    if (std::fflush(stdout) != 0) return fail(cli::kFiles, "error: cannot write to standard output");
    return cli::kDone;
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? cli::kDone : cli::kUserText;
  } catch (const cli::NegativeFinding&) {
    return cli::kNegative;
  } catch (const cli::RenderedError& error) {
    return fail(cli::kUserText, error.what());
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

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
