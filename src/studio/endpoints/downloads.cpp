// What one can take away: the model, its certificate, a picture.
#include "studio/endpoints/words.h"

namespace quench::studio {
namespace {

Reply file(std::string content, std::string type, const std::string& name) {
  return {.type = std::move(type),
          .body = std::move(content),
          .headers = {{"Content-Disposition", "attachment; filename=\"" + name + "\""}}};
}

}  // namespace

Reply download(Desk& desk, const std::string& what) {
  const std::size_t slash = what.find('/');
  const std::string name = slash == std::string::npos ? "" : what.substr(slash + 1);
  if (name != "model.safetensors" && name != "certificate.json")
    throw Refusal{404, "not-found", "there is nothing at this address"};
  const std::shared_ptr<KeptModel> kept = desk.models.get(what.substr(0, slash));
  if (name == "model.safetensors") {
    const Model model = kept->model();
    const std::size_t bytes = 8 * model.summary().parameters;
    if (bytes > desk.limits.model_bytes)
      throw over_limit("the file would be too large; the command line writes it", "model_bytes",
                       desk.limits.model_bytes, bytes);
    return file(save_bytes(model), "application/octet-stream", name);
  }
  const std::optional<std::string> certificate = kept->certificate_json();
  if (!certificate) throw Refusal{404, "not-found", "there is no certificate yet; ask for one"};
  return file(*certificate, "application/json; charset=utf-8", name);
}

Reply attention_picture(Desk& desk, Fields& fields) {
  const WordRequest request = word_request(desk, fields);
  return file(attention_svg(request.model, request.word, request.options), "image/svg+xml; charset=utf-8",
              "attention.svg");
}

}  // namespace quench::studio
