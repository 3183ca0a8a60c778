#include "model/file.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <unordered_set>

#include "base/atomic_file.h"
#include "base/error.h"
#include "model/file/document.h"
#include "model/file/safetensors.h"
#include "model/file/sha256.h"
#include "model/file/strict_json.h"

namespace quench::model {

namespace {

/// Calls visit(name, tensor) for every tensor, in the order of the file. `tensor` is a SparseMatrix or a vector.
template <class Model, class Visit>
void for_each_tensor(Model& transformer, Visit visit) {
  visit(std::string("embedding"), transformer.embedding);
  for (std::size_t l = 0; l < transformer.layers.size(); ++l) {
    auto& layer = transformer.layers[l];
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const std::string prefix = fmt::format("layers.{}.heads.{}.", l, h);
      visit(prefix + "q", layer.heads[h].q);
      visit(prefix + "k", layer.heads[h].k);
      visit(prefix + "v", layer.heads[h].v);
      visit(prefix + "o", layer.heads[h].o);
    }
    const std::string prefix = fmt::format("layers.{}.ffn.", l);
    visit(prefix + "w1", layer.ffn.w1);
    visit(prefix + "b1", layer.ffn.b1);
    visit(prefix + "w2", layer.ffn.w2);
    visit(prefix + "b2", layer.ffn.b2);
  }
}

std::vector<std::uint64_t> shape_of(const SparseMatrix& matrix) { return {matrix.rows.size(), matrix.cols}; }
std::vector<std::uint64_t> shape_of(const std::vector<double>& vector) { return {vector.size()}; }

std::string prefix_of(const Transformer& transformer) {
  std::vector<TensorShape> shapes;
  for_each_tensor(transformer, [&](std::string name, const auto& tensor) {
    shapes.push_back({std::move(name), shape_of(tensor)});
  });
  return safetensors_prefix({{"format", "quench"}, {"quench", write_document(transformer)}}, shapes);
}

// ---- writing

/// Takes the bytes of the tensors without writing them.
class HashingSink {
 public:
  void write(const void* bytes, std::size_t count) { hash_.add(bytes, count); }
  std::string finish() { return hash_.finish(); }

 private:
  Sha256 hash_;
};

/// Keeps them.
struct StringSink {
  std::string bytes;
  void write(const void* more, std::size_t count) { bytes.append(static_cast<const char*>(more), count); }
};

template <class Sink>
void write_values(Sink& file, const double* values, std::size_t count) {
  if constexpr (std::endian::native == std::endian::little) {
    file.write(values, count * sizeof(double));
  } else {
    for (std::size_t index = 0; index < count; ++index) {
      const auto bits = std::bit_cast<std::uint64_t>(values[index]);
      for (int shift = 0; shift < 64; shift += 8) {
        const auto byte = static_cast<unsigned char>(bits >> shift);
        file.write(&byte, 1);
      }
    }
  }
}

template <class Sink>
void write_tensor(Sink& file, const SparseMatrix& matrix, std::vector<double>& dense_row) {
  for (const SparseMatrix::Row& row : matrix.rows) {
    dense_row.assign(matrix.cols, 0.0);
    for (const auto& [column, value] : row) dense_row[column] = value;
    write_values(file, dense_row.data(), dense_row.size());
  }
}
template <class Sink>
void write_tensor(Sink& file, const std::vector<double>& vector, std::vector<double>&) {
  write_values(file, vector.data(), vector.size());
}

// ---- reading

const TensorEntry& entry_named(const SafetensorsReader& reader, const std::string& name, std::size_t dimensions) {
  const auto found = reader.tensors().find(name);
  if (found == reader.tensors().end()) throw IoError(fmt::format("tensor {} is missing", name));
  if (found->second.shape.size() != dimensions)
    throw IoError(
        fmt::format("tensor {} has {} dimensions, expected {}", name, found->second.shape.size(), dimensions));
  return found->second;
}

[[noreturn]] void not_finite(const std::string& name, std::uint64_t index) {
  throw IoError(fmt::format("tensor {} holds a value that is not finite (item {})", name, index));
}

/// Every row of a matrix costs memory, even an empty one, so an extent that no bytes stand behind must not be believed:
/// a matrix d × 0 has none. Only W_2 may be one, and then b_2 with its d items must be there.
void check_extents(const SafetensorsReader& reader, const std::string& name, std::uint64_t rows, std::uint64_t cols) {
  if (cols > 0 || rows == 0) return;
  const bool is_w2 = name.ends_with(".w2");
  if (!is_w2 || entry_named(reader, name.substr(0, name.size() - 2) + "b2", 1).shape[0] != rows)
    throw IoError(fmt::format("tensor {} has shape {} × 0, which cannot be", name, rows));
}

void read_tensor(SafetensorsReader& reader, const std::string& name, std::size_t width, SparseMatrix& matrix) {
  const TensorEntry& entry = entry_named(reader, name, 2);
  const std::uint64_t rows = entry.shape[0], cols = entry.shape[1];
  const bool is_output = name.ends_with(".o") || name.ends_with(".w2");
  if ((is_output ? rows : cols) != width)
    throw IoError(fmt::format("tensor {} has shape {} × {}, but the width is {}", name, rows, cols, width));
  check_extents(reader, name, rows, cols);
  matrix = SparseMatrix(rows, cols);
  reader.read(entry, [&](std::uint64_t index, double value) {
    if (!std::isfinite(value)) not_finite(name, index);
    if (value != 0) matrix.rows.edit(index / cols).push_back({static_cast<std::uint32_t>(index % cols), value});
  });
}
void read_tensor(SafetensorsReader& reader, const std::string& name, std::size_t, std::vector<double>& vector) {
  const TensorEntry& entry = entry_named(reader, name, 1);
  vector.reserve(entry.shape[0]);
  reader.read(entry, [&](std::uint64_t index, double value) {
    if (!std::isfinite(value)) not_finite(name, index);
    vector.push_back(value);
  });
}

void check_names(const SafetensorsReader& reader, Transformer& transformer) {
  std::unordered_set<std::string> known;
  for_each_tensor(transformer, [&](const std::string& name, auto&) { known.insert(name); });
  for (const auto& [name, entry] : reader.tensors())
    if (!known.contains(name)) throw IoError(fmt::format("tensor {} belongs to no part of the model", in_quotes(name)));
}

Transformer read_model(SafetensorsReader& reader) {
  const auto document = reader.metadata().find("quench");
  if (document == reader.metadata().end())
    throw IoError("no metadata under \"quench\": the file holds weights, but not a model of this program");
  Transformer transformer = read_document(document->second);
  check_names(reader, transformer);
  for_each_tensor(transformer,
                  [&](const std::string& name, auto& tensor) { read_tensor(reader, name, transformer.width, tensor); });
  validate(transformer);
  return transformer;
}

/// Runs `work`; what it complains of is said of this file.
template <class Work>
auto about(const char* doing, const std::string& name, Work work) {
  try {
    return work();
  } catch (const IoError& failure) {
    throw IoError(fmt::format("cannot {} {}: {}", doing, name, failure.what()));
  }
}

/// All that stands before the tensors. Throws IoError for a model that must not be written.
std::string checked_prefix(const Transformer& transformer, bool force) {
  validate(transformer);
  std::string prefix = prefix_of(transformer);
  if (prefix.size() > kLongestHeader)
    throw IoError(fmt::format("its description has {} bytes; no reader takes more than {}", prefix.size(),
                              kLongestHeader));
  const std::uint64_t size = prefix.size() + 8 * static_cast<std::uint64_t>(transformer.parameter_count());
  if (size > kLargeFile && !force)
    throw IoError(fmt::format("the dense file would have {:.1f} GB; pass --force to write it all the same",
                              static_cast<double>(size) / 1e9));
  return prefix;
}

}  // namespace

std::uint64_t file_size(const Transformer& transformer) {
  return prefix_of(transformer).size() + 8 * static_cast<std::uint64_t>(transformer.parameter_count());
}

std::string fingerprint(const Transformer& transformer) {
  Transformer bare = transformer;
  bare.certificate.clear();
  const std::string document = write_document(bare);
  HashingSink sink;
  sink.write(document.data(), document.size());
  std::vector<double> dense_row;
  for_each_tensor(bare, [&](const std::string&, const auto& tensor) { write_tensor(sink, tensor, dense_row); });
  return sink.finish();
}

void save(const Transformer& transformer, const std::filesystem::path& path, bool force) {
  const std::string prefix = about("save", path.string(), [&] { return checked_prefix(transformer, force); });
  AtomicFile file(path);
  file.write(prefix);
  std::vector<double> dense_row;
  for_each_tensor(transformer, [&](const std::string&, const auto& tensor) { write_tensor(file, tensor, dense_row); });
  file.commit();
}

std::string save_bytes(const Transformer& transformer) {
  StringSink sink{about("save", "the model", [&] { return checked_prefix(transformer, false); })};
  std::vector<double> dense_row;
  for_each_tensor(transformer, [&](const std::string&, const auto& tensor) { write_tensor(sink, tensor, dense_row); });
  return std::move(sink.bytes);
}

Transformer load(const std::filesystem::path& path) {
  return about("load", path.string(), [&] {
    SafetensorsReader reader(path);
    return read_model(reader);
  });
}

Transformer load_bytes(std::string_view bytes, const std::string& name) {
  return about("load", name, [&] {
    SafetensorsReader reader(bytes);
    return read_model(reader);
  });
}

}  // namespace quench::model
