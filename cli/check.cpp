// quench check: a certificate against its model, by the independent checker.
#include <fmt/format.h>

#include <memory>

#include "check/check.h"
#include "command.h"
#include "model/file.h"
#include "source.h"

namespace quench::cli {
namespace {

struct CheckCommand {
  std::string certificate, model;
  bool json = false;
};

void run(const CheckCommand& command) {
  const model::Transformer model = model::load(command.model);
  const std::string text = command.certificate.ends_with(".safetensors") ? model::load(command.certificate).certificate
                                                                         : read_file(command.certificate);
  const check::Verdict verdict = check::check(text, model);
  print(verdict.accepted ? fmt::format("accepted: {} entries re-derived from the weights\n", verdict.entries)
                         : fmt::format("{}: {}\n", verdict.covered ? "rejected" : "not covered", verdict.reason));
  if (!verdict.accepted) throw NegativeFinding();
}

}  // namespace

void add_check(CLI::App& program) {
  CLI::App* app = program.add_subcommand("check", "Check a certificate against its model");
  auto command = std::make_shared<CheckCommand>();
  app->add_option("CERTIFICATE", command->certificate, "A certificate (.json), or a model that carries one")
      ->required();
  app->add_option("MODEL", command->model, "A model (.safetensors)")->required();
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
