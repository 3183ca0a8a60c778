// quench studio: the page on which one watches a rule become a network, served on this machine.
#include "studio/studio.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/numbers.h"
#include "cli/command.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/version.h"

namespace quench::cli {
namespace {

constexpr int kUsualPort = 8137;

struct StudioCommand {
  int port = kUsualPort;
  bool open = false;
};

studio::Options options_of(const StudioCommand& command) {
  studio::Options options;
  options.port = command.port;
  options.version = version();
  return options;
}

std::unique_ptr<studio::Studio> started(const StudioCommand& command) {
  try {
    return std::make_unique<studio::Studio>(options_of(command));
  } catch (const studio::PortTaken& taken) {
    throw IoError(taken.what());
  }
}

/// By whatever the desktop opens addresses with. True if that could be started and did not complain.
bool open_in_browser(const std::string& address) {
  std::string program = "xdg-open", argument = address;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void run(const StudioCommand& command) {
  const InterruptNote interrupt;
  const std::unique_ptr<studio::Studio> studio = started(command);
  print(fmt::format("{}   (Ctrl-C ends it)\n", studio->address()));
  if (!studio->has_page())
    say("this program was built without the page; `make web` and then `make build` put it in (docs/studio.md)\n");
  flush();
  std::thread server([&] { studio->serve(); });
  if (command.open && !open_in_browser(studio->address())) say("no browser could be opened; the address is above\n");
  while (interrupt.signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  studio->stop();
  server.join();
}

}  // namespace

void add_studio(App& program) {
  App* app = program.add_subcommand("studio", "Serve a page on which one watches rules become networks");
  auto command = std::make_shared<StudioCommand>();
  app->add_option("--port", command->port, "Of 127.0.0.1; 0: any that is free")
      ->type_name("P")
      ->check(whole_number(0, 65535))
      ->capture_default_str();
  app->add_flag("--open", command->open, "Open the page in the browser");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
