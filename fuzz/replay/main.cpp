// A main for fuzz targets without libFuzzer, for any compiler: runs every file of the folders given, and with `-runs=N`
// that many inputs more, changed at random from them (`-seed=S`, 1 unless given). What ends the target is left in
// `-crash=FILE`.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Some bytes changed, taken out, doubled, or put in from another input.
Bytes changed(quench::Random& random, Bytes bytes, const Bytes& other) {
  for (std::uint64_t k = 1 + random.below(4); k > 0; --k) {
    const std::size_t at = random.below(bytes.size() + 1), length = 1 + random.below(16);
    const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto there = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + length, bytes.size()));
    switch (random.below(5)) {
      case 0:
        if (at < bytes.size()) *here = static_cast<std::uint8_t>(random.below(256));
        break;
      case 1:
        if (at < bytes.size()) *here = static_cast<std::uint8_t>(*here ^ (1u << random.below(8)));
        break;
      case 2:
        bytes.erase(here, there);
        break;
      case 3: {
        const Bytes part(here, there);
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size() + 1)), part.begin(),
                     part.end());
        break;
      }
      default:
        if (other.empty()) break;
        const std::size_t from = random.below(other.size()), to = std::min(from + length, other.size());
        bytes.insert(here, other.begin() + static_cast<std::ptrdiff_t>(from),
                     other.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  return bytes;
}

}  // namespace

/// Asked for by targets that have a mutator of their own, which is not used here.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) { return size; }

int main(int argc, char** argv) {
  std::uint64_t runs = 0, seed = 1;
  std::string kept;
  std::vector<Bytes> inputs;
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument = argv[k];
    if (argument.starts_with("-runs="))
      runs = std::strtoull(argv[k] + 6, nullptr, 10);
    else if (argument.starts_with("-seed="))
      seed = std::strtoull(argv[k] + 6, nullptr, 10);
    else if (argument.starts_with("-crash="))
      kept = argument.substr(7);
    else if (std::filesystem::is_directory(argument))
      for (const auto& entry : std::filesystem::directory_iterator(argument)) inputs.push_back(read(entry.path()));
    else
      inputs.push_back(read(argument));
  }
  const auto run = [&](const Bytes& bytes) {
    if (!kept.empty())
      std::ofstream(kept, std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  };
  std::sort(inputs.begin(), inputs.end());
  for (const Bytes& input : inputs) run(input);
  if (inputs.empty()) inputs.emplace_back();
  quench::Random random(seed);
  for (std::uint64_t k = 0; k < runs; ++k)
    run(changed(random, inputs[random.below(inputs.size())], inputs[random.below(inputs.size())]));
  if (!kept.empty()) std::filesystem::remove(kept);
  std::printf("%zu inputs and %llu changed ones: nothing found\n", inputs.size(),
              static_cast<unsigned long long>(runs));
}
