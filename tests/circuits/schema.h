// As much of JSON Schema as circuit.schema.json uses.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>

namespace quench::test {

inline bool has_type(const nlohmann::json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  throw std::runtime_error("unknown type " + type);
}

/// What is wrong with the value, first thing first; empty if nothing is.
inline std::string schema_error(const nlohmann::json& schema, const nlohmann::json& value, const std::string& where) {
  for (const auto& [keyword, wanted] : schema.items()) {
    if (keyword == "type" && !has_type(value, wanted)) return where + " is no " + wanted.get<std::string>();
    if (keyword == "const" && value != wanted) return where + " is not " + wanted.dump();
    if (keyword == "enum" && std::find(wanted.begin(), wanted.end(), value) == wanted.end())
      return where + " is none of " + wanted.dump();
    if (keyword == "pattern" && !std::regex_search(value.get<std::string>(), std::regex(wanted.get<std::string>())))
      return where + " does not match " + wanted.dump();
    if (keyword == "minimum" && value < wanted) return where + " is too small";
    if (keyword == "required")
      for (const auto& name : wanted)
        if (!value.contains(name.get<std::string>())) return where + " has no " + name.dump();
    if (keyword == "additionalProperties" && wanted == false)
      for (const auto& [name, one] : value.items())
        if (!schema["properties"].contains(name)) return where + " has an unknown " + name;
    if (keyword == "properties")
      for (const auto& [name, one] : wanted.items())
        if (value.contains(name))
          if (std::string error = schema_error(one, value[name], where + "." + name); !error.empty()) return error;
    if (keyword == "items")
      for (const auto& one : value)
        if (std::string error = schema_error(wanted, one, where + "[]"); !error.empty()) return error;
  }
  return "";
}

}  // namespace quench::test
