// The .safetensors container, knowing nothing of transformers: 8 bytes of header length (little endian), a JSON header
// padded with blanks, then the bytes of all tensors without holes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quench::model {

/// The format's own limit. Nobody needs more, and a header has to be read whole.
inline constexpr std::uint64_t kLongestHeader = 100'000'000;

enum class TensorType : std::uint8_t { f64, f32, bf16, f16 };

struct TensorEntry {
  TensorType type = TensorType::f64;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< bytes, relative to the end of the header
};

/// A file opened and checked: every entry lies inside the file, and shape × item size is its length. Throws IoError.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(const std::filesystem::path& path);
  /// Of a file that is in memory, and stays there.
  explicit SafetensorsReader(std::string_view bytes);

  const std::map<std::string, TensorEntry>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// Hands the items to `take` in order, row-major, in pieces of bounded size.
  void read(const TensorEntry& tensor, const std::function<void(std::uint64_t index, double value)>& take);

 private:
  void read_header(std::uint64_t size);
  void check_coverage() const;

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t data_begin_ = 0, data_size_ = 0;
  std::map<std::string, TensorEntry> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Length field, header and padding of a file with these metadata (all strings) and tensors of one type, in this order.
struct TensorShape {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::uint64_t bytes(TensorType type = TensorType::f64) const;
};
std::string safetensors_prefix(const std::vector<std::pair<std::string, std::string>>& metadata,
                               const std::vector<TensorShape>& tensors, TensorType type = TensorType::f64);

}  // namespace quench::model
