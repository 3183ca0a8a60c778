// quench export: a model in the format of somebody else's tool.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/error.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "export/circuit.h"
#include "export/hf/gpt2.h"
#include "export/onnx/network.h"
#include "export/transformer_lens.h"

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

std::vector<std::string> write_folder(const ExportCommand& command, const std::vector<exports::ExportedFile>& files) {
  exports::write_folder(command.output, files);
  std::vector<std::string> written;
  for (const exports::ExportedFile& file : files)
    written.push_back((std::filesystem::path(command.output) / file.name).string());
  return written;
}

/// The paths that were written.
std::vector<std::string> write_export(const ExportCommand& command, const model::Transformer& model) {
  const model::TensorType type = command.dtype == "f64" ? model::TensorType::f64 : model::TensorType::f32;
  if (command.target == "hf") return write_folder(command, exports::gpt2(model, command.context, type));
  if (command.target == "transformer-lens")
    return write_folder(command, exports::transformer_lens(model, command.context, type));
  if (command.target == "onnx") {
    write_file(command.output, exports::onnx(model, type));
  } else {
    const bool dot = command.output.ends_with(".dot");
    write_file(command.output, dot ? exports::circuit_dot(model) : exports::circuit_json(model));
  }
  return {command.output};
}

void run(ExportCommand& command) {
  if (command.output.empty()) throw UserError("where to? -o PATH names the file or the folder to be written");
  const bool folder = command.target == "hf" || command.target == "transformer-lens";
  if (folder && command.output == "-") throw UserError("-o - is standard output, and this target is a folder of files");
  if (!folder) check_output(command.output, file_output(command.target));
  command.compile.choose_in(*number_format_from(command.dtype));
  const LoadedModel loaded = take_model(command.source, command.compile);
  const std::vector<std::string> written = write_export(command, loaded.model);
  if (command.output != "-") print(written_text(written));
}

}  // namespace

void add_export(App& program) {
  App* app = program.add_subcommand("export", "Write a model for other tools: Hugging Face, TransformerLens, ONNX");
  auto command = std::make_shared<ExportCommand>();
  command->source.add_to(*app, "MODEL", "");
  command->compile.add_to(*app);
  app->add_option("--to", command->target,
                  "hf: a stock GPT-2 (a folder); transformer-lens: a checkpoint (a folder); onnx: a graph of opset 17; "
                  "circuit: who reads what from whom (.json or .dot)")
      ->type_name("TARGET")
      ->required()
      ->check(one_of({"hf", "transformer-lens", "onnx", "circuit"}));
  app->add_option("-o,--output", command->output, "The file or folder to write")->type_name("PATH");
  app->add_option("--context", command->context, "Longest word, where positions are a table (hf, transformer-lens)")
      ->check(whole_number(1, 100'000))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--dtype", command->dtype, "Number format of the weights: f32 or f64")
      ->check(one_of({"f32", "f64"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
