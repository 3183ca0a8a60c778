// quench export: a model in the format of somebody else's tool.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/error.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "export/targets.h"

namespace quench::cli {
namespace {

struct ExportCommand {
  SourceArguments source;
  CompileArguments compile;
  std::string target, output, dtype = "f32";
  std::size_t context = 1024;
};

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

/// The paths that were written.
std::vector<std::string> write_export(const ExportCommand& command, const model::Transformer& model) {
  const exports::Target& target = target_of(command);
  const model::TensorType type = command.dtype == "f64" ? model::TensorType::f64 : model::TensorType::f32;
  const std::vector<exports::ExportedFile> files = target.files(model, {command.context, type});
  if (!target.folder) {
    write_file(command.output, files.front().content);
    return {command.output};
  }
  exports::write_folder(command.output, files);
  std::vector<std::string> written;
  for (const exports::ExportedFile& file : files)
    written.push_back((std::filesystem::path(command.output) / file.name).string());
  return written;
}

void run(ExportCommand& command) {
  if (command.output.empty()) throw UserError("where to? -o PATH names the file or the folder to be written");
  const bool folder = target_of(command).folder;
  if (folder && command.output == "-") throw UserError("-o - is standard output, and this target is a folder of files");
  if (!folder) check_output(command.output, file_output(command.target));
  command.compile.choose_in(*number_format_from(command.dtype));
  const LoadedModel loaded = take_model(command.source, command.compile);
  const std::vector<std::string> written = write_export(command, loaded.model);
  if (command.output != "-") print(written_text(written));
}

}  // namespace

void add_export(App& program) {
  App* app =
      program.add_subcommand("export", "Write a model for other tools: Hugging Face, TransformerLens, PyTorch, ONNX");
  auto command = std::make_shared<ExportCommand>();
  command->source.add_to(*app, "MODEL", "");
  command->compile.add_to(*app);
  app->add_option("--to", command->target,
                  "hf: a stock GPT-2 (a folder); hf-custom: any model for Hugging Face, with code of ours (a folder); "
                  "transformer-lens: a checkpoint (a folder); interpbench: the same with its true edges, for "
                  "InterpBench (a folder); "
                  "torch: a module that needs torch alone (a folder); "
                  "onnx: a graph of opset 17; circuit: who reads what from whom (.json or .dot)")
      ->type_name("TARGET")
      ->required()
      ->check(one_of({"hf", "hf-custom", "transformer-lens", "interpbench", "torch", "onnx", "circuit"}));
  app->add_option("-o,--output", command->output, "The file or folder to write")->type_name("PATH");
  app->add_option("--context", command->context,
                  "Longest word, where positions are a table (hf, transformer-lens, interpbench)")
      ->check(whole_number(1, exports::kLongestContext))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--dtype", command->dtype, "Number format of the weights: f32 or f64")
      ->check(one_of({"f32", "f64"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
