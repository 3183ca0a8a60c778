// Files for the tests of the model file: a folder that goes away, raw bytes in and out, and surgery on headers.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace quench::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "quench-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);  // some file systems flush a file that is truncated and rewritten: slow
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A .safetensors file taken apart: header, metadata document and data can be damaged one by one.
struct Parts {
  nlohmann::ordered_json header, document;
  std::string data;

  explicit Parts(const std::string& bytes) {
    const std::uint64_t length = header_length(bytes);
    header = nlohmann::ordered_json::parse(bytes.substr(8, length));
    document = nlohmann::ordered_json::parse(header["__metadata__"]["quench"].get<std::string>());
    data = bytes.substr(8 + length);
  }
  static std::uint64_t header_length(const std::string& bytes) {
    std::uint64_t length = 0;
    for (int byte = 7; byte >= 0; --byte)
      length = length << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(byte)]);
    return length;
  }
  static std::string join(const std::string& header_text, const std::string& data_bytes) {
    std::string bytes;
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((header_text.size() >> shift) & 255);
    return bytes + header_text + data_bytes;
  }
  std::string bytes() const {
    nlohmann::ordered_json whole = header;
    if (whole.contains("__metadata__") && whole["__metadata__"].contains("quench"))
      whole["__metadata__"]["quench"] = document.dump();
    return join(whole.dump(), data);
  }
};

}  // namespace quench::test
