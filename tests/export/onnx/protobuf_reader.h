// Protocol buffers read back, for the tests: a message as its fields by number. Throws on anything that is not one.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace quench::test {

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::uint64_t key = varint(bytes);
      if ((key & 7) == 0) {
        integers_[key >> 3].push_back(static_cast<std::int64_t>(varint(bytes)));
      } else if ((key & 7) == 2) {
        const std::uint64_t length = varint(bytes);
        if (length > bytes.size()) throw std::runtime_error("a field ends beyond its message");
        texts_[key >> 3].emplace_back(bytes.substr(0, length));
        bytes.remove_prefix(length);
      } else {
        throw std::runtime_error("a wire type that is not written");
      }
    }
  }

  std::vector<std::int64_t> integers(std::uint64_t field) const {
    const auto found = integers_.find(field);
    return found == integers_.end() ? std::vector<std::int64_t>{} : found->second;
  }
  std::vector<std::string> texts(std::uint64_t field) const {
    const auto found = texts_.find(field);
    return found == texts_.end() ? std::vector<std::string>{} : found->second;
  }
  ProtobufReader message(std::uint64_t field) const { return ProtobufReader(texts(field).at(0)); }

 private:
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes.empty()) throw std::runtime_error("a number ends beyond its message");
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw std::runtime_error("a number of more than 64 bits");
  }

  std::map<std::uint64_t, std::vector<std::int64_t>> integers_;
  std::map<std::uint64_t, std::vector<std::string>> texts_;
};

}  // namespace quench::test
