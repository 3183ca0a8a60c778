#include "export/interpbench/zip.h"

#include <array>
#include <cstdint>

#include "base/error.h"

namespace quench::exports {
namespace {

constexpr std::array<std::uint32_t, 256> kChecks = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ (rest & 1 ? 0xedb88320u : 0);
    table[byte] = rest;
  }
  return table;
}();

std::uint32_t checksum(const std::string& content) {
  std::uint32_t rest = 0xffffffffu;
  for (const char c : content) rest = (rest >> 8) ^ kChecks[(rest ^ static_cast<unsigned char>(c)) & 255];
  return ~rest;
}

class Fields {
 public:
  Fields& two(std::size_t value) { return put(value, 2); }
  Fields& four(std::size_t value) { return put(value, 4); }
  const std::string& bytes() const { return bytes_; }

 private:
  Fields& put(std::size_t value, int count) {
    for (int k = 0; k < count; ++k) bytes_ += static_cast<char>((value >> (8 * k)) & 255);
    return *this;
  }
  std::string bytes_;
};

constexpr std::size_t kVersion = 20, kFirstDay = 33;  // 1980-01-01

/// What the header of a file and its entry in the directory have in common.
void describe(Fields& fields, const ExportedFile& file) {
  fields.two(kVersion).two(0).two(0).two(0).two(kFirstDay).four(checksum(file.content));
  fields.four(file.content.size()).four(file.content.size()).two(file.name.size()).two(0);
}

}  // namespace

std::string zipped(const std::vector<ExportedFile>& files) {
  std::string archive, directory;
  for (const ExportedFile& file : files) {
    const std::size_t begin = archive.size();
    if (begin + file.content.size() > 0xfffff000u) throw UserError("a model of 4 GB does not fit into this format");
    Fields header, entry;
    describe(header.four(0x04034b50), file);
    archive += header.bytes() + file.name + file.content;
    describe(entry.four(0x02014b50).two(kVersion), file);
    directory += entry.two(0).two(0).two(0).four(0).four(begin).bytes() + file.name;
  }
  Fields end;
  end.four(0x06054b50)
      .two(0)
      .two(0)
      .two(files.size())
      .two(files.size())
      .four(directory.size())
      .four(archive.size())
      .two(0);
  return archive + directory + end.bytes();
}

}  // namespace quench::exports
