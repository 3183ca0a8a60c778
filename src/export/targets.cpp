#include "export/targets.h"

#include <array>

#include "export/circuit.h"
#include "export/interpbench/interpbench.h"
#include "export/onnx/network.h"
#include "export/torch/torch.h"
#include "export/transformer_lens.h"

namespace quench::exports {
namespace {

using model::Transformer;

constexpr std::array kTargets{
    Target{"hf", true,
           [](const Transformer& model, const TargetOptions& options) {
             return hf_folder(model, {options.context, options.type, options.architecture, options.bos});
           }},
    Target{"hf-custom", true,
           [](const Transformer& model, const TargetOptions& options) { return hf_custom(model, options.type); }},
    Target{"transformer-lens", true,
           [](const Transformer& model, const TargetOptions& options) {
             return transformer_lens(model, options.context, options.type, options.bos);
           }},
    Target{"interpbench", true,
           [](const Transformer& model, const TargetOptions& options) {
             return interpbench(model, options.context, options.type);
           }},
    Target{"torch", true,
           [](const Transformer& model, const TargetOptions& options) { return torch(model, options.type); }},
    Target{"onnx", false,
           [](const Transformer& model, const TargetOptions& options) -> std::vector<ExportedFile> {
             return {{"model.onnx", onnx(model, options.type)}};
           }},
    Target{"circuit", false,
           [](const Transformer& model, const TargetOptions&) -> std::vector<ExportedFile> {
             return {{"circuit.json", circuit_json(model)}};
           }},
    Target{"circuit-dot", false,
           [](const Transformer& model, const TargetOptions&) -> std::vector<ExportedFile> {
             return {{"circuit.dot", circuit_dot(model)}};
           }},
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target* target_named(std::string_view name) {
  for (const Target& target : kTargets)
    if (target.name == name) return &target;
  return nullptr;
}

}  // namespace quench::exports
