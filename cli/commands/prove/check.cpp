// quench check: a certificate against its model, by the independent checker, and the model against its rule.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/utf8.h"
#include "certified/promise.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "model/file.h"

namespace quench::cli {
namespace {

struct CheckCommand {
  std::string certificate, model;
  bool ideal = false, json = false;
};

/// Without a limit on what is asked: "behaves" and "computes_rule" say both.
std::string verdict_json(const certified::Promise& promise, bool accepted) {
  const bool behaves = promise.behaves();
  nlohmann::ordered_json json{{"accepted", accepted},
                              {"covered", promise.verdict.covered},
                              {"behaves", behaves},
                              {"computes_rule", promise.computes_rule()},
                              {"entries", promise.verdict.entries},
                              {"lengths", nullptr},
                              {"reason", nullptr}};
  if (behaves) json["lengths"] = promise.lengths;
  if (!promise.computes_rule()) json["reason"] = printable(behaves ? promise.not_the_rule : promise.verdict.reason);
  return json.dump() + "\n";
}

std::string accepted_text(const certified::Promise& promise, const model::Transformer& model, bool ideal) {
  std::string text = fmt::format("accepted: {} entries re-derived from the weights", promise.verdict.entries);
  if (ideal)
    text +=
        fmt::format("\nthese weights behave like their ideal network up to {}\nthat it computes a rule was not checked",
                    promise.lengths);
  else
    text += fmt::format(", which are what recipe {} makes of the rule\nthese weights compute this rule up to {}",
                        printable(model.recipe), promise.lengths);
  return text + "\n";
}

/// What to do about a certificate that is longer than `check` goes.
std::string uncovered_text(const certified::Promise& promise) {
  std::string text =
      fmt::format("not covered: {}\nnothing was found that speaks against the rest of it\n", promise.verdict.reason);
  if (const auto confirmed = promise.verdict.confirmed; confirmed && *confirmed > 0)
    text += fmt::format("to have a certificate that is confirmed to its end: quench soften --length {}\n", *confirmed);
  return text +
         "for longer words: a model of the rule by quench compile --recipe exact --length N, whose certificate is "
         "confirmed up to N\n";
}

std::string rejected_text(const certified::Promise& promise) {
  if (!promise.behaves() && !promise.verdict.covered) return uncovered_text(promise);
  if (!promise.behaves()) return fmt::format("rejected: {}\n", promise.verdict.reason);
  return fmt::format(
      "rejected: {}\n"
      "the certificate itself holds: these weights behave like their ideal network up to {} (--ideal asks for no "
      "more)\n",
      promise.not_the_rule, promise.lengths);
}

void run_on_folder(const CheckCommand& command) {
  if (!command.model.empty()) throw UserError("a folder has its model in it: quench check FOLDER takes nothing more");
  const certified::FolderPromise folder = certified::examine_folder(command.certificate);
  const certified::Promise& promise = folder.promise;
  const bool accepted = command.ideal ? promise.behaves() : promise.computes_rule();
  if (command.json) print(verdict_json(promise, accepted));
  if (!accepted && !command.json) print(rejected_text(promise));
  if (!accepted) throw NegativeFinding();
  if (command.json) return;
  print(fmt::format(
      "accepted: the checkpoint is {} with pins, number by number; {} re-derived{}\n"
      "this {} {} up to {}, layer normalisation included\n",
      model::kFolderModelFile,
      promise.verdict.entries == 1 ? "1 length" : fmt::format("{} lengths", promise.verdict.entries),
      command.ideal ? "" : fmt::format(", and it is what recipe {} makes of the rule", printable(folder.recipe)),
      folder.certificate.architecture, command.ideal ? "behaves like its ideal network" : "computes this rule",
      promise.lengths));
}

void run(const CheckCommand& command) {
  if (std::filesystem::is_directory(command.certificate)) return run_on_folder(command);
  const bool carries_one = command.certificate.ends_with(".safetensors");
  if (command.model.empty() && !carries_one)
    throw UserError("against which model? quench check CERTIFICATE MODEL, quench check MODEL or quench check FOLDER");
  if (command.model.ends_with(".json") && carries_one)
    throw UserError(fmt::format("the CERTIFICATE comes first: quench check {} {}", command.model, command.certificate));
  const model::Transformer model = model::load(command.model.empty() ? command.certificate : command.model);
  const std::string text = !carries_one            ? read_file(command.certificate)
                           : command.model.empty() ? model.certificate
                                                   : model::load(command.certificate).certificate;
  const certified::Promise promise = certified::examine(text, model);
  const bool accepted = command.ideal ? promise.behaves() : promise.computes_rule();
  print(command.json ? verdict_json(promise, accepted)
        : accepted   ? accepted_text(promise, model, command.ideal)
                     : rejected_text(promise));
  if (!accepted) throw NegativeFinding();
}

}  // namespace

void add_check(App& program) {
  App* app = program.add_subcommand("check", "Check a certificate against its model, and the model against its rule");
  auto command = std::make_shared<CheckCommand>();
  app->add_option(
         "CERTIFICATE", command->certificate,
         "A certificate (.json); a model that carries one; or a folder that `quench export --to hf` has written")
      ->required();
  app->add_option("MODEL", command->model, "A model (.safetensors); without it, that of the first argument");
  app->add_flag("--ideal", command->ideal,
                "Only that the weights behave like their ideal network, whatever rule the file names");
  app->add_flag("--json", command->json, "As one JSON object");
  app->describe_json(
      "`{\"accepted\",\"covered\",\"behaves\",\"computes_rule\",\"entries\",\"lengths\":text|null,\"reason\":text|null}"
      "`: whether "
      "what was asked holds (with `--ideal` only that the weights behave like their ideal network), whether such a "
      "certificate can be derived again here, what holds in any case, how many entries were derived, up to which "
      "lengths, "
      "null if the certificate does not hold, and why the weights do not compute the rule, null if they do.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
