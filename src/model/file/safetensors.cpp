#include "model/file/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "model/file/strict_json.h"

namespace quench::model {

namespace {

using Json = nlohmann::json;

template <class Unsigned>
Unsigned little_endian(const unsigned char* bytes) {
  Unsigned value = 0;
  for (std::size_t index = 0; index < sizeof(Unsigned); ++index)
    value = static_cast<Unsigned>(value | static_cast<Unsigned>(static_cast<Unsigned>(bytes[index]) << (8 * index)));
  return value;
}

std::size_t item_size(TensorType type) {
  switch (type) {
    case TensorType::f64:
      return 8;
    case TensorType::f32:
      return 4;
    case TensorType::bf16:
    case TensorType::f16:
      return 2;
  }
  return 8;
}

std::string_view type_name(TensorType type) {
  switch (type) {
    case TensorType::f64:
      return "F64";
    case TensorType::f32:
      return "F32";
    case TensorType::bf16:
      return "BF16";
    case TensorType::f16:
      return "F16";
  }
  return "F64";
}

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude = 0;
  if (exponent == 31)
    magnitude = fraction == 0 ? HUGE_VAL : std::nan("");
  else
    magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double decode(TensorType type, const unsigned char* bytes) {
  switch (type) {
    case TensorType::f64:
      return std::bit_cast<double>(little_endian<std::uint64_t>(bytes));
    case TensorType::f32:
      return std::bit_cast<float>(little_endian<std::uint32_t>(bytes));
    case TensorType::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(little_endian<std::uint16_t>(bytes)) << 16);
    case TensorType::f16:
      return half_to_double(little_endian<std::uint16_t>(bytes));
  }
  return 0;
}

TensorType type_from(const Json& json, const std::string& name) {
  static const std::map<std::string, TensorType> kTypes{
      {"F64", TensorType::f64}, {"F32", TensorType::f32}, {"BF16", TensorType::bf16}, {"F16", TensorType::f16}};
  if (!json.is_string()) throw IoError(fmt::format("tensor {} has no dtype", in_quotes(name)));
  const auto found = kTypes.find(json.get<std::string>());
  if (found == kTypes.end())
    throw IoError(fmt::format("tensor {} has dtype {}; F64, F32, BF16 and F16 can be read", in_quotes(name),
                              in_quotes(json.get<std::string>())));
  return found->second;
}

std::vector<std::uint64_t> naturals(const Json& json, const std::string& what) {
  std::vector<std::uint64_t> numbers;
  if (!json.is_array()) throw IoError(what + " is not a list of numbers");
  for (const Json& number : json) {
    if (!number.is_number_unsigned()) throw IoError(what + " is not a list of natural numbers");
    numbers.push_back(number.get<std::uint64_t>());
  }
  return numbers;
}

/// Bytes of a tensor of this shape; nothing if that exceeds 64 bits.
std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, std::size_t item) {
  std::uint64_t product = item;
  for (const std::uint64_t extent : shape)
    if (__builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  return product;
}

TensorEntry entry_from(const Json& json, const std::string& name, std::uint64_t data_size) {
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets"))
    throw IoError(fmt::format("tensor {} lacks dtype, shape or data_offsets", in_quotes(name)));
  TensorEntry entry;
  entry.type = type_from(json["dtype"], name);
  entry.shape = naturals(json["shape"], "the shape of tensor " + in_quotes(name));
  const std::vector<std::uint64_t> offsets =
      naturals(json["data_offsets"], "data_offsets of tensor " + in_quotes(name));
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    throw IoError(fmt::format("data_offsets of tensor {} are not a range", in_quotes(name)));
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.end > data_size)
    throw IoError(fmt::format("tensor {} ends at byte {}, but the file has {} bytes of data (truncated?)",
                              in_quotes(name), entry.end, data_size));
  const std::optional<std::uint64_t> bytes = bytes_of(entry.shape, item_size(entry.type));
  if (!bytes || *bytes != entry.end - entry.begin)
    throw IoError(fmt::format("tensor {} occupies {} bytes, which is not what its shape and dtype need",
                              in_quotes(name), entry.end - entry.begin));
  return entry;
}

[[noreturn]] void throw_errno(const char* doing) {
  throw IoError(fmt::format("cannot {}: {}", doing, std::generic_category().message(errno)));
}

void read_exactly(std::FILE* file, void* bytes, std::size_t count) {
  if (std::fread(bytes, 1, count, file) == count) return;
  if (std::ferror(file)) throw_errno("read");
  throw IoError("the file ends too early");
}

}  // namespace

SafetensorsReader::SafetensorsReader(const std::filesystem::path& path) {
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) throw_errno("open");
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) throw IoError("not a regular file");
  const std::uint64_t size = std::filesystem::file_size(path, failure);
  if (failure) throw IoError("cannot read the size: " + failure.message());
  read_header(size);
  check_coverage();
}

SafetensorsReader::SafetensorsReader(std::string_view bytes) {
  // The stream is for reading only, so nothing is written where the cast would allow it.
  if (!bytes.empty()) file_.reset(::fmemopen(const_cast<char*>(bytes.data()), bytes.size(), "rb"));
  if (!bytes.empty() && !file_) throw_errno("open");
  read_header(bytes.size());
  check_coverage();
}

void SafetensorsReader::read_header(std::uint64_t size) {
  std::array<unsigned char, 8> field{};
  if (size < field.size()) throw IoError(fmt::format("{} bytes are too few for a .safetensors file", size));
  read_exactly(file_.get(), field.data(), field.size());
  const auto length = little_endian<std::uint64_t>(field.data());
  if (length < 2 || length > size - field.size())
    throw IoError(fmt::format("the header is said to have {} bytes, the file has {} (truncated, or not .safetensors)",
                              length, size));
  if (length > kLongestHeader)
    throw IoError(fmt::format("the header has {} bytes; at most {} are read", length, kLongestHeader));
  std::string text(length, '\0');
  read_exactly(file_.get(), text.data(), text.size());
  data_begin_ = field.size() + length;
  data_size_ = size - data_begin_;
  const Json header = parse_strict_json(text, "the header");
  if (!header.is_object()) throw IoError("the header is not a JSON object");
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") {
      tensors_[name] = entry_from(value, name, data_size_);
      continue;
    }
    if (!value.is_object()) throw IoError("__metadata__ is not an object");
    for (const auto& [key, text_value] : value.items()) {
      if (!text_value.is_string()) throw IoError(fmt::format("metadata {} is not a string", in_quotes(key)));
      metadata_[key] = text_value.get<std::string>();
    }
  }
}

/// The format allows neither overlaps nor holes.
void SafetensorsReader::check_coverage() const {
  std::vector<std::pair<const TensorEntry*, const std::string*>> order;
  for (const auto& [name, entry] : tensors_) order.emplace_back(&entry, &name);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
  });
  std::uint64_t covered = 0;
  for (const auto& [entry, name] : order) {
    if (entry->begin != covered)
      throw IoError(fmt::format("tensor {} begins at byte {}, expected {}: tensors overlap or leave a hole",
                                in_quotes(*name), entry->begin, covered));
    covered = entry->end;
  }
  if (covered != data_size_)
    throw IoError(fmt::format("the tensors cover {} bytes of data, but the file has {}", covered, data_size_));
}

void SafetensorsReader::read(const TensorEntry& tensor,
                             const std::function<void(std::uint64_t index, double value)>& take) {
  const std::size_t item = item_size(tensor.type);
  if (std::fseek(file_.get(), static_cast<long>(data_begin_ + tensor.begin), SEEK_SET) != 0) throw_errno("seek");
  std::array<unsigned char, 1 << 16> buffer;
  std::uint64_t index = 0;
  for (std::uint64_t at = tensor.begin; at < tensor.end;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), tensor.end - at));
    read_exactly(file_.get(), buffer.data(), count);
    for (std::size_t byte = 0; byte < count; byte += item) take(index++, decode(tensor.type, buffer.data() + byte));
    at += count;
  }
}

std::uint64_t TensorShape::bytes(TensorType type) const {
  std::uint64_t product = item_size(type);
  for (const std::uint64_t extent : shape) product *= extent;
  return product;
}

std::string safetensors_prefix(const std::vector<std::pair<std::string, std::string>>& metadata,
                               const std::vector<TensorShape>& tensors, TensorType type) {
  std::string header = "{\"__metadata__\":{";
  const char* separator = "";
  for (const auto& [key, value] : metadata) {
    header += fmt::format("{}{}:{}", separator, Json(key).dump(), Json(value).dump());
    separator = ",";
  }
  header += '}';
  std::uint64_t offset = 0;
  for (const TensorShape& tensor : tensors) {
    header += fmt::format(",{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", Json(tensor.name).dump(),
                          type_name(type), fmt::join(tensor.shape, ","), offset, offset + tensor.bytes(type));
    offset += tensor.bytes(type);
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string prefix;
  for (int shift = 0; shift < 64; shift += 8) prefix += static_cast<char>((header.size() >> shift) & 255);
  return prefix + header;
}

}  // namespace quench::model
