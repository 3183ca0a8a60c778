#include <quench/export.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/convert.h"
#include "api/inside.h"
#include "export/targets.h"
#include "export/weights.h"
#include "model/file/document.h"

namespace quench::api {
namespace {

model::TensorType tensor_type(Format format) {
  if (format == Format::f32) return model::TensorType::f32;
  if (format == Format::f64) return model::TensorType::f64;
  throw quench::UserError("weights are exported as f32 or f64");
}

}  // namespace

std::vector<Tensor> tensors(const Model& model) {
  const exports::Checkpoint weights = exports::weights_of(model.inside().model);
  std::vector<Tensor> result;
  for (const exports::NamedTensor& one : weights.tensors()) result.push_back({one.name, one.shape, one.data});
  return result;
}

std::string document(const Model& model) { return model::write_document(model.inside().model); }

std::vector<std::string> export_targets() {
  std::vector<std::string> names;
  for (const exports::Target& target : exports::targets()) names.emplace_back(target.name);
  return names;
}

std::vector<File> export_files(const Model& model, std::string_view target, const ExportOptions& options) {
  return translated([&] {
    const exports::Target* found = exports::target_named(target);
    if (!found)
      throw quench::UserError(
          fmt::format("there is no target of this name; there are {}", fmt::join(export_targets(), ", ")));
    if (options.context == 0 || options.context > exports::kLongestContext)
      throw quench::UserError(fmt::format("a context is from 1 to {}", exports::kLongestContext));
    std::vector<File> files;
    for (exports::ExportedFile& file :
         found->files(model.inside().model, {options.context, tensor_type(options.weights),
                                             options.opt ? exports::Architecture::opt : exports::Architecture::gpt2,
                                             options.bos}))
      files.push_back({std::move(file.name), std::move(file.content)});
    return files;
  });
}

void write_files(const std::filesystem::path& folder, const std::vector<File>& files) {
  translated([&] {
    std::vector<exports::ExportedFile> inside;
    for (const File& file : files) inside.push_back({file.name, file.content});
    exports::write_folder(folder, inside);
  });
}

}  // namespace quench::api
