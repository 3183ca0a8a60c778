// Typed access to the fields of a JSON document from an untrusted file; every complaint says where.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "model/file/strict_json.h"

namespace quench::model {

/// A JSON value together with its place in the document, "layers[0].heads[1].mask".
class Field {
 public:
  /// `what` says in messages whose field it is.
  Field(const nlohmann::json& json, std::string where, const char* what = "metadata field")
      : json_(&json), where_(std::move(where)), what_(what) {}

  [[noreturn]] void wrong(const std::string& expected) const {
    throw IoError(fmt::format("{} {} is not {}", what_, where_, expected));
  }

  Field operator[](const char* key) const {
    const std::string inner = where_.empty() ? key : where_ + "." + key;
    if (!json_->is_object()) wrong("an object");
    const auto found = json_->find(key);
    if (found == json_->end()) throw IoError(fmt::format("{} {} is missing", what_, inner));
    return {*found, inner, what_};
  }

  /// Calls visit(Field) for every item of a list.
  template <class Visit>
  void for_each(Visit visit) const {
    if (!json_->is_array()) wrong("a list");
    for (std::size_t index = 0; index < json_->size(); ++index)
      visit(Field((*json_)[index], fmt::format("{}[{}]", where_, index), what_));
  }
  std::size_t size() const { return json_->size(); }

  std::string text() const {
    if (!json_->is_string()) wrong("a string");
    return json_->get<std::string>();
  }
  bool boolean() const {
    if (!json_->is_boolean()) wrong("true or false");
    return json_->get<bool>();
  }
  double number() const {
    if (!json_->is_number()) wrong("a number");
    return json_->get<double>();
  }
  std::optional<double> number_or_null() const {
    if (json_->is_null()) return std::nullopt;
    return number();
  }
  std::uint64_t natural(std::uint64_t greatest) const {
    if (!json_->is_number_unsigned() || json_->get<std::uint64_t>() > greatest)
      wrong(fmt::format("a whole number from 0 to {}", greatest));
    return json_->get<std::uint64_t>();
  }
  std::int64_t integer() const {
    if (json_->is_number_unsigned())
      return static_cast<std::int64_t>(natural(std::numeric_limits<std::int64_t>::max()));
    if (!json_->is_number_integer()) wrong("a 64-bit integer");
    return json_->get<std::int64_t>();
  }
  /// A spelling that `from` turns into a value, such as mask_from.
  template <class From>
  auto spelled(From from, const char* what) const {
    const std::string spelling = text();
    const auto value = from(spelling);
    if (!value) wrong(fmt::format("{} this version knows: {}", what, in_quotes(spelling)));
    return *value;
  }

  const nlohmann::json& json() const { return *json_; }
  const std::string& where() const { return where_; }

 private:
  const nlohmann::json* json_;
  std::string where_;
  const char* what_;
};

}  // namespace quench::model
