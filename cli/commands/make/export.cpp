// quench export: a model in the format of somebody else's tool.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "export/targets.h"
#include "model/folder_certificate.h"

namespace quench::cli {
namespace {

struct ExportCommand {
  SourceArguments source;
  CompileArguments compile;
  std::string target, output, dtype = "f32", architecture = "gpt2";
  std::size_t context = 1024;
  bool bos = false, json = false;
};

/// Whether positions are a table, and no word is longer.
bool has_context(const std::string& target) {
  return target == "hf" || target == "transformer-lens" || target == "interpbench";
}

OutputKind file_output(const std::string& target) {
  if (target == "onnx") return {"-o", "the graph", {".onnx"}, true};
  return {"-o", "the circuit", {".json", ".dot"}, true};
}

/// The circuit is a picture where the file is to be one.
const exports::Target& target_of(const ExportCommand& command) {
  const bool dot = command.target == "circuit" && command.output.ends_with(".dot");
  const exports::Target* target = exports::target_named(dot ? "circuit-dot" : command.target);
  QUENCH_ASSERT(target);
  return *target;
}

exports::TargetOptions options_of(const ExportCommand& command) {
  return {command.context, command.dtype == "f64" ? model::TensorType::f64 : model::TensorType::f32,
          command.architecture == "opt" ? exports::Architecture::opt : exports::Architecture::gpt2, command.bos};
}

struct Written {
  std::vector<std::string> paths;
  std::optional<model::FolderCertificate> certificate;  ///< of a folder that has one
};

Written write_export(const ExportCommand& command, const model::Transformer& model) {
  const exports::Target& target = target_of(command);
  const std::vector<exports::ExportedFile> files = target.files(model, options_of(command));
  if (!target.folder) {
    write_file(command.output, files.front().content);
    return {{command.output}, {}};
  }
  exports::write_folder(command.output, files);
  Written written;
  for (const exports::ExportedFile& file : files) {
    written.paths.push_back((std::filesystem::path(command.output) / file.name).string());
    if (file.name == model::kFolderCertificateFile)
      written.certificate = model::folder_certificate_from_json(file.content);
  }
  return written;
}

std::string certified_text(const model::FolderCertificate& certificate) {
  std::string text;
  for (const model::FolderEntry& entry : certificate.entries)
    text += fmt::format("{:<12}{} {}: {}\n", text.empty() ? "certified" : "", to_string(certificate.format),
                        entry.length > 0 ? fmt::format("{}", entry.length) : "nothing (" + entry.reason + ")",
                        entry.moments == model::Moments::any
                            ? "any engine, the rounding of its layer normalisation included"
                            : "engines whose layer normalisation sums squares of differences");
  return text;
}

std::string json_text(const Written& written) {
  nlohmann::ordered_json json{{"written", written.paths}};
  if (written.certificate) json["certificate"] = nlohmann::ordered_json::parse(model::to_json(*written.certificate));
  return json.dump() + "\n";
}

void refuse_unused(const ExportCommand& command) {
  const bool hf = command.target == "hf";
  if (command.bos && !hf && command.target != "transformer-lens")
    throw UserError("--bos is for decoders: --to hf or transformer-lens");
  if (command.architecture != "gpt2" && !hf) throw UserError("--architecture is for --to hf");
  if (command.json && command.output == "-") throw UserError("-o - is standard output, and so is what --json prints");
}

void run(ExportCommand& command) {
  if (command.output.empty()) throw UserError("where to? -o PATH names the file or the folder to be written");
  refuse_unused(command);
  const bool folder = target_of(command).folder;
  if (folder) check_folder(command.output, "-o");
  if (!folder) check_output(command.output, file_output(command.target));
  command.compile.choose_in(*number_format_from(command.dtype));
  if (has_context(command.target)) command.compile.serve(command.context);
  const LoadedModel loaded = take_model(command.source, command.compile);
  const Written written = write_export(command, loaded.model);
  if (command.json) return print(json_text(written));
  if (written.certificate) print(certified_text(*written.certificate));
  if (command.output != "-") print(written_text(written.paths));
}

}  // namespace

void add_export(App& program) {
  App* app =
      program.add_subcommand("export", "Write a model for other tools: Hugging Face, TransformerLens, PyTorch, ONNX");
  auto command = std::make_shared<ExportCommand>();
  command->source.add_to(*app, "MODEL", "");
  command->compile.add_to(*app);
  app->add_option(
         "--to", command->target,
         "hf: a stock GPT-2 or OPT (a folder); hf-custom: any model for Hugging Face, with code of ours (a folder); "
         "transformer-lens: a checkpoint (a folder); interpbench: the same with its true edges, for "
         "InterpBench (a folder); "
         "torch: a module that needs torch alone (a folder); "
         "onnx: a graph of opset 17; circuit: who reads what from whom (.json or .dot)")
      ->type_name("TARGET")
      ->required()
      ->check(one_of({"hf", "hf-custom", "transformer-lens", "interpbench", "torch", "onnx", "circuit"}));
  app->add_option("-o,--output", command->output, "The file or folder to write")->type_name("PATH");
  app->add_option(
         "--context", command->context,
         "Longest word, where positions are a table (hf, transformer-lens, interpbench); what an exact recipe is "
         "made for, without --length")
      ->check(whole_number(1, exports::kLongestContext))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--dtype", command->dtype, "Number format of the weights: f32 or f64")
      ->check(one_of({"f32", "f64"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  app->add_option("--architecture", command->architecture, "Of --to hf: gpt2 or opt")
      ->check(one_of({"gpt2", "opt"}))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_flag("--bos", command->bos,
                "One more token before every word, which no head sees, as tools for interpretability put it there (hf, "
                "transformer-lens)");
  app->add_flag("--json", command->json, "Report as one JSON object");
  app->describe_json(
      "`{\"written\":[…],\"certificate\"}`: the files, and what `quench_certificate.json` holds (docs/exports.md), "
      "where "
      "the target has one.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
