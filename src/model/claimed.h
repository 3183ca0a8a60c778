// What a model file claims by name: a value that this version knows, or a name that it does not know. Such a name is
// kept, so that a file that is read and written again stays the same; it equals no known value, and switches see
// `other`.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/named_enum.h"

namespace quench::model {

template <class Enum>
class Claimed {
 public:
  Claimed(Enum value = Enum::none) : value_(value) {}
  /// As a file spells it.
  explicit Claimed(std::string text) : value_(from_name<Enum>(text).value_or(Enum::other)) {
    if (value_ == Enum::other) unknown_ = std::move(text);
  }

  Enum value() const { return value_; }
  std::string text() const { return unknown_.empty() ? std::string(name_of(value_)) : unknown_; }
  friend bool operator==(const Claimed&, const Claimed&) = default;

 private:
  Enum value_;
  std::string unknown_;  ///< of `other`: the name itself
};

}  // namespace quench::model
