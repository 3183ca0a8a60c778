// The wire format of protocol buffers, as much of it as writing takes: a message is a sequence of fields, each a key
// (field number · 8 + wire type) and then a variable-length integer, four bytes, or a length and bytes. Nothing here
// knows what the fields mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quench::exports {

class ProtobufMessage {
 public:
  void add(int field, std::int64_t value) {
    append_varint(key(field, kVarint));
    append_varint(static_cast<std::uint64_t>(value));
  }
  void add(int field, std::string_view bytes) {
    append_varint(key(field, kBytes));
    append_varint(bytes.size());
    bytes_ += bytes;
  }
  void add(int field, const ProtobufMessage& message) { add(field, std::string_view(message.bytes_)); }
  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t kVarint = 0, kBytes = 2;
  static std::uint64_t key(int field, std::uint64_t wire_type) {
    return static_cast<std::uint64_t>(field) << 3 | wire_type;
  }
  /// Seven bits at a time, the lowest first; the eighth says that more follow.
  void append_varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace quench::exports
