#include "model/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <unordered_set>

#include "base/error.h"
#include "model/document.h"
#include "model/safetensors.h"
#include "model/sha256.h"
#include "model/strict_json.h"

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

/// A file that exists under its final name only once it is complete; otherwise nothing is left behind.
class ReplacingFile {
 public:
  explicit ReplacingFile(std::filesystem::path target) : target_(std::move(target)) {
    std::error_code ignored;
    // A link stays a link: what it points to is replaced.
    if (std::filesystem::is_symlink(target_, ignored))
      if (auto real = std::filesystem::weakly_canonical(target_, ignored); !ignored) target_ = real;
    if (std::filesystem::exists(target_, ignored) && !std::filesystem::is_regular_file(target_, ignored))
      throw IoError("not a regular file");
    for (int attempt = 0; file_ == nullptr && attempt < 100; ++attempt) {
      temporary_ = target_;
      temporary_ += fmt::format(".{}-{}.tmp", ::getpid(), attempt);
      file_ = std::fopen(temporary_.c_str(), "wbx");
      if (file_ == nullptr && errno != EEXIST) break;
    }
    if (file_ == nullptr) fail("create");
  }
  ~ReplacingFile() {
    if (file_ != nullptr) std::fclose(file_);
    std::error_code ignored;
    if (!done_) std::filesystem::remove(temporary_, ignored);
  }
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  void write(const void* bytes, std::size_t count) {
    if (count > 0 && std::fwrite(bytes, 1, count, file_) != count) fail("write");
  }
  void commit() {
    const int closed = std::fclose(std::exchange(file_, nullptr));
    if (closed != 0) fail("write");
    std::error_code failure;
    std::filesystem::rename(temporary_, target_, failure);
    if (failure) throw IoError("cannot rename: " + failure.message());
    done_ = true;
  }

 private:
  [[noreturn]] static void fail(const char* doing) {
    throw IoError(fmt::format("cannot {}: {}", doing, std::generic_category().message(errno)));
  }
  std::filesystem::path target_, temporary_;
  std::FILE* file_ = nullptr;
  bool done_ = false;
};

/// Takes the bytes of the tensors without writing them.
class HashingSink {
 public:
  void write(const void* bytes, std::size_t count) { hash_.add(bytes, count); }
  std::string finish() { return hash_.finish(); }

 private:
  Sha256 hash_;
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

Transformer load_checked(const std::filesystem::path& path) {
  SafetensorsReader reader(path);
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
  try {
    validate(transformer);
    const std::string prefix = prefix_of(transformer);
    const std::uint64_t size = prefix.size() + 8 * static_cast<std::uint64_t>(transformer.parameter_count());
    if (size > kLargeFile && !force)
      throw IoError(fmt::format("the dense file would have {:.1f} GB; pass --force to write it all the same",
                                static_cast<double>(size) / 1e9));
    ReplacingFile file(path);
    file.write(prefix.data(), prefix.size());
    std::vector<double> dense_row;
    for_each_tensor(transformer,
                    [&](const std::string&, const auto& tensor) { write_tensor(file, tensor, dense_row); });
    file.commit();
  } catch (const IoError& failure) {
    throw IoError(fmt::format("cannot save {}: {}", path.string(), failure.what()));
  }
}

Transformer load(const std::filesystem::path& path) {
  try {
    return load_checked(path);
  } catch (const IoError& failure) {
    throw IoError(fmt::format("cannot load {}: {}", path.string(), failure.what()));
  }
}

}  // namespace quench::model
