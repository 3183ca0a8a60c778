#include <quench/model.h>

#include "api/convert.h"
#include "api/inside.h"
#include "model/file.h"
#include "model/summary.h"

namespace quench::api {

ModelSummary Model::summary() const {
  const model::Transformer& model = inside().model;
  model::Summary found = model::summary(model);
  return {.logic = model.logic,
          .recipe = model.recipe,
          .kind = model.kind(),
          .layers = found.layers,
          .heads = found.heads,
          .width = found.width,
          .hidden_units = found.hidden_units,
          .parameters = found.parameters,
          .nonzero_parameters = found.nonzero_parameters,
          .temperatures = std::move(found.temperatures),
          .masks = std::move(found.masks),
          .position_encodings = std::move(found.position_encodings)};
}

std::string Model::source() const { return inside().model.source; }
std::vector<std::string> Model::symbols() const { return inside().model.alphabet.symbols(); }
AnswerKind Model::answers() const { return kind_of(inside().model.output); }
bool Model::has_certificate() const { return !inside().model.certificate.empty(); }
std::string Model::fingerprint() const { return model::fingerprint(inside().model); }

Model load(const std::filesystem::path& path) {
  return translated([&] {
    return Model(std::make_shared<const Model::Inside>(Model::Inside{model::load(path), std::nullopt}));
  });
}

Model load_bytes(std::string_view bytes, const std::string& name) {
  return translated([&] {
    return Model(std::make_shared<const Model::Inside>(Model::Inside{model::load_bytes(bytes, name), std::nullopt}));
  });
}

void save(const Model& model, const std::filesystem::path& path, bool even_if_large) {
  translated([&] { model::save(model.inside().model, path, even_if_large); });
}

std::string save_bytes(const Model& model) {
  return translated([&] { return model::save_bytes(model.inside().model); });
}

}  // namespace quench::api
