#include "export/checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.h"

namespace quench::exports {

namespace {

template <class Unsigned>
void append(std::string& bytes, Unsigned bits) {
  for (std::size_t shift = 0; shift < 8 * sizeof bits; shift += 8) bytes += static_cast<char>((bits >> shift) & 255);
}

}  // namespace

std::string little_endian_bytes(const std::vector<double>& values, model::TensorType type, const std::string& name) {
  std::string bytes;
  bytes.reserve(values.size() * (type == model::TensorType::f32 ? 4 : 8));
  for (const double value : values) {
    if (type == model::TensorType::f64) {
      append(bytes, std::bit_cast<std::uint64_t>(value));
      continue;
    }
    const auto narrow = static_cast<float>(value);
    if (!std::isfinite(narrow))
      throw UserError(fmt::format("{} holds {}, which is beyond the range of float32; take --dtype f64", name, value));
    append(bytes, std::bit_cast<std::uint32_t>(narrow));
  }
  return bytes;
}

void Checkpoint::add(std::string name, const Matrix& matrix) {
  tensors_.push_back({std::move(name), {matrix.rows, matrix.cols}, matrix.data});
}

void Checkpoint::add(std::string name, const std::vector<double>& vector) {
  tensors_.push_back({std::move(name), {vector.size()}, vector});
}

void Checkpoint::add(std::string name, const std::vector<Matrix>& stack) {
  QUENCH_ASSERT(!stack.empty());
  NamedTensor tensor{std::move(name), {stack.size(), stack.front().rows, stack.front().cols}, {}};
  for (const Matrix& matrix : stack) tensor.data.insert(tensor.data.end(), matrix.data.begin(), matrix.data.end());
  tensors_.push_back(std::move(tensor));
}

void Checkpoint::add_constant(std::string name, std::vector<std::uint64_t> shape, double value) {
  std::uint64_t items = 1;
  for (const std::uint64_t extent : shape) items *= extent;
  tensors_.push_back({std::move(name), std::move(shape), std::vector<double>(items, value)});
}

std::string Checkpoint::bytes(model::TensorType type,
                              const std::vector<std::pair<std::string, std::string>>& metadata) const {
  std::vector<model::TensorShape> shapes;
  for (const NamedTensor& tensor : tensors_) shapes.push_back({tensor.name, tensor.shape});
  std::string file = model::safetensors_prefix(metadata, shapes, type);
  for (const NamedTensor& tensor : tensors_) file += little_endian_bytes(tensor.data, type, tensor.name);
  return file;
}

}  // namespace quench::exports
