#include "studio/fields.h"

namespace quench::studio {
namespace {

Json parsed(const std::string& body) {
  Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) throw bad_request("the body is not JSON");
  return json;
}

}  // namespace

Fields::Fields(const std::string& body) : Fields(parsed(body), "the body") {}

Fields::Fields(const Json& object, std::string name) : object_(object), name_(std::move(name)) {
  if (!object_.is_object()) throw bad_request(name_ + " is not an object");
}

const Json& Fields::any(const char* field) {
  static const Json none;
  asked_.insert(field);
  const auto found = object_.find(field);
  return found == object_.end() ? none : *found;
}

std::string Fields::text(const char* field) {
  const Json& value = any(field);
  if (!value.is_string()) wrong(field, "a text");
  return value.get<std::string>();
}

std::string Fields::text(const char* field, const std::string& otherwise) {
  return any(field).is_null() ? otherwise : text(field);
}

bool Fields::truth(const char* field, bool otherwise) {
  const Json& value = any(field);
  if (value.is_null()) return otherwise;
  if (!value.is_boolean()) wrong(field, "true or false");
  return value.get<bool>();
}

std::optional<double> Fields::real(const char* field) {
  const Json& value = any(field);
  if (value.is_null()) return std::nullopt;
  if (!value.is_number() || !std::isfinite(value.get<double>())) wrong(field, "a number");
  return value.get<double>();
}

double Fields::number(const char* field) {
  const std::optional<double> value = real(field);
  if (!value) wrong(field, "a number");
  return *value;
}

std::optional<std::uint64_t> Fields::whole(const char* field, std::uint64_t least, std::uint64_t most) {
  const Json& value = any(field);
  if (value.is_null()) return std::nullopt;
  const bool fits =
      value.is_number_unsigned() && value.get<std::uint64_t>() >= least && value.get<std::uint64_t>() <= most;
  if (!fits) wrong(field, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return value.get<std::uint64_t>();
}

std::vector<Json> Fields::list(const char* field) {
  const Json& value = any(field);
  if (value.is_null()) return {};
  if (!value.is_array()) wrong(field, "a list");
  return {value.begin(), value.end()};
}

std::vector<std::string> Fields::texts(const char* field) {
  std::vector<std::string> result;
  for (const Json& one : list(field)) {
    if (!one.is_string()) wrong(field, "a list of texts");
    result.push_back(one.get<std::string>());
  }
  return result;
}

void Fields::done() const {
  for (const auto& [key, value] : object_.items())
    if (!asked_.contains(key)) throw bad_request("nothing is called '" + key + "' in " + name_, key);
}

void Fields::wrong(const char* field, const std::string& expected) const {
  throw bad_request("'" + std::string(field) + "' of " + name_ + " is not " + expected, field);
}

}  // namespace quench::studio
