// Reads the fields of a request's body. What is missing, misspelt or of the wrong kind is a Refusal that names it.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "studio/exchange.h"

namespace quench::studio {

class Fields {
 public:
  explicit Fields(const std::string& body);
  /// `name` is what the object is called in messages.
  Fields(const Json& object, std::string name);

  std::string text(const char* field);
  std::string text(const char* field, const std::string& otherwise);
  bool truth(const char* field, bool otherwise);
  double number(const char* field);
  /// A whole number from `least` to `most`; absent or null: nothing.
  std::optional<std::uint64_t> whole(const char* field, std::uint64_t least, std::uint64_t most);
  std::optional<double> real(const char* field);
  /// An array; absent: empty.
  std::vector<Json> list(const char* field);
  std::vector<std::string> texts(const char* field);
  /// Absent or null: null.
  const Json& any(const char* field);
  /// Throws if a field has not been asked for.
  void done() const;

 private:
  [[noreturn]] void wrong(const char* field, const std::string& expected) const;

  Json object_;
  std::string name_;
  std::set<std::string> asked_;
};

}  // namespace quench::studio
