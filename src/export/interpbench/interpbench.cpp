#include "export/interpbench/interpbench.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "export/circuit.h"
#include "export/interpbench/pickle.h"
#include "export/interpbench/zip.h"
#include "export/transformer_lens.h"

namespace quench::exports {
namespace {

using Json = nlohmann::ordered_json;

/// Empty for the output, which InterpBench has no name for.
std::string hook_name(const std::string& id) {
  if (id == "embedding") return "hook_embed";
  if (id.starts_with("position.")) return "hook_pos_embed";
  if (id == "output") return "";
  const std::size_t dot = id.find('.', 7);  // "layers.0.heads.1"
  const std::string layer = id.substr(7, dot - 7);
  return id.compare(dot + 1, 5, "heads") == 0 ? fmt::format("blocks.{}.attn.hook_result[{}]", layer, id.substr(dot + 7))
                                              : fmt::format("blocks.{}.mlp.hook_post", layer);
}

std::string edges_pickle(const model::Transformer& model) {
  Pickle pickle(4);
  pickle.empty_set().mark();
  for (const auto& [from, to] : interpbench_edges(model)) pickle.mark().text(from).text(to).tuple();
  return pickle.add_items().finished();
}

void put(Pickle& pickle, const std::string& key, const Json& value) {
  if (key == "dtype")
    pickle.global("torch", value.get<std::string>().substr(6));  // "torch.float32"
  else if (value.is_null())
    pickle.none();
  else if (value.is_boolean())
    pickle.boolean(value);
  else if (value.is_number_integer())
    pickle.number(value);
  else
    pickle.text(value.get<std::string>());
}

std::string config_pickle(const std::string& config) {
  const Json fields = Json::parse(config);
  Pickle pickle(4);
  pickle.empty_dictionary().mark();
  for (const auto& [key, value] : fields.items()) {
    if (key == "quench") continue;  // ours
    pickle.text(key);
    put(pickle, key, value);
  }
  return pickle.set_items().finished();
}

/// (size) and (stride) of a tensor in row-major order.
void put_shape(Pickle& pickle, const std::vector<std::uint64_t>& shape) {
  pickle.mark();
  for (const std::uint64_t extent : shape) pickle.number(static_cast<std::int64_t>(extent));
  pickle.tuple().mark();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::uint64_t stride = 1;
    for (std::size_t later = k + 1; later < shape.size(); ++later) stride *= shape[later];
    pickle.number(static_cast<std::int64_t>(stride));
  }
  pickle.tuple();
}

std::string state_dictionary(const Checkpoint& checkpoint, model::TensorType type) {
  const char* storage = type == model::TensorType::f32 ? "FloatStorage" : "DoubleStorage";
  std::vector<ExportedFile> files(1);
  Pickle pickle(2);
  pickle.empty_dictionary().mark();
  for (const NamedTensor& tensor : checkpoint.tensors()) {
    const std::string key = std::to_string(files.size() - 1);
    pickle.text(tensor.name).global("torch._utils", "_rebuild_tensor_v2").mark();
    pickle.mark().text("storage").global("torch", storage).text(key).text("cpu");
    pickle.number(static_cast<std::int64_t>(tensor.data.size())).tuple().persistent();
    pickle.number(0);
    put_shape(pickle, tensor.shape);
    pickle.boolean(false).global("collections", "OrderedDict").empty_tuple().call();
    pickle.tuple().call();
    files.push_back({"archive/data/" + key, little_endian_bytes(tensor.data, type, tensor.name)});
  }
  files.front() = {"archive/data.pkl", pickle.set_items().finished()};
  files.push_back({"archive/byteorder", "little"});
  files.push_back({"archive/version", "3\n"});
  return zipped(files);
}

}  // namespace

std::set<std::pair<std::string, std::string>> interpbench_edges(const model::Transformer& model) {
  std::set<std::pair<std::string, std::string>> edges;
  for (const CircuitEdge& edge : circuit_of(model).edges) {
    const std::string from = hook_name(edge.from), to = hook_name(edge.to);
    if (!edge.constant && !to.empty() && from != to) edges.emplace(from, to);
  }
  return edges;
}

std::vector<ExportedFile> interpbench(const model::Transformer& model, std::size_t context, model::TensorType type) {
  const LensModel lens = lens_model(model, context, type);
  return {{"ll_model.pth", state_dictionary(lens.checkpoint, type)},
          {"ll_model_cfg.pkl", config_pickle(lens.config)},
          {"edges.pkl", edges_pickle(model)}};
}

}  // namespace quench::exports
