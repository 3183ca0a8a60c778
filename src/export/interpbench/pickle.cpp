#include "export/interpbench/pickle.h"

namespace quench::exports {
namespace {

void append_little_endian(std::string& bytes, std::uint64_t value, int count) {
  for (int k = 0; k < count; ++k) bytes += static_cast<char>((value >> (8 * k)) & 255);
}

}  // namespace

Pickle& Pickle::text(std::string_view value) {
  bytes_ += 'X';
  append_little_endian(bytes_, value.size(), 4);
  bytes_ += value;
  return *this;
}

Pickle& Pickle::number(std::int64_t value) {
  if (value == static_cast<std::int32_t>(value)) {
    bytes_ += 'J';
    append_little_endian(bytes_, static_cast<std::uint64_t>(value), 4);
  } else {
    bytes_ += "\x8a\x08";  // LONG1, eight bytes in two's complement
    append_little_endian(bytes_, static_cast<std::uint64_t>(value), 8);
  }
  return *this;
}

Pickle& Pickle::global(std::string_view module, std::string_view name) {
  bytes_ += 'c';
  bytes_.append(module).append("\n").append(name).append("\n");
  return *this;
}

}  // namespace quench::exports
