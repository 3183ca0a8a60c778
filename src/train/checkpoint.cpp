#include "train/checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/error.h"
#include "lang/print/print_rule.h"
#include "model/file/strict_json.h"

namespace quench::train {
namespace {

constexpr const char* kFormat = "quench checkpoint 1";
constexpr std::size_t kLongestHeader = 1 << 20;

std::string header(const Trainer& trainer) {
  nlohmann::ordered_json json;
  json["format"] = kFormat;
  json["rule"] = lang::print(trainer.rule());
  json["options"] = nlohmann::ordered_json::parse(to_json(trainer.options()));
  json["step"] = trainer.steps_done();
  return json.dump() + "\n";
}

void append(std::string& bytes, const std::vector<double>& numbers) {
  for (const double number : numbers) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(number);
    for (int byte = 0; byte < 8; ++byte) bytes.push_back(static_cast<char>(bits >> (8 * byte) & 0xff));
  }
}

std::vector<double> take(const std::string& bytes, std::size_t& at, std::size_t count) {
  std::vector<double> numbers(count);
  for (double& number : numbers) {
    std::uint64_t bits = 0;
    for (int byte = 0; byte < 8; ++byte)
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at++])) << (8 * byte);
    number = std::bit_cast<double>(bits);
  }
  return numbers;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path.string() + ": cannot open this checkpoint (without --resume a run starts afresh)");
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw IoError(path.string() + ": cannot read it");
  return bytes;
}

/// The header's fields, all of the right kind.
nlohmann::json parse_header(const std::string& bytes, std::size_t end, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw IoError(fmt::format("{}: not a checkpoint of this version of quench{}", name, why));
  };
  if (end == std::string::npos || end > kLongestHeader) refuse("");
  nlohmann::json json;
  try {
    json = model::parse_strict_json(std::string_view(bytes).substr(0, end), "its header");
  } catch (const IoError& error) {
    refuse(fmt::format(" ({})", error.what()));
  }
  const auto field = [&](const char* key) { return json.is_object() ? json.value(key, nlohmann::json()) : json; };
  if (field("format") != kFormat || !field("rule").is_string() || !field("options").is_object() ||
      !field("step").is_number_unsigned())
    refuse("");
  return json;
}

void check_same_run(const Trainer& trainer, const nlohmann::json& found, const std::string& name) {
  const auto wanted = nlohmann::json::parse(header(trainer));
  if (found["rule"] != wanted["rule"])
    throw UserError(fmt::format("{}: this checkpoint trains another rule: {}", name, found["rule"].dump()));
  for (const auto& [key, value] : wanted["options"].items()) {
    const auto& other = found["options"].value(key, nlohmann::json());
    if (other != value)
      throw UserError(fmt::format("{}: the checkpoint was made with {} {}, this run asks for {}; give the same options",
                                  name, key, other.dump(), value.dump()));
  }
  if (found["step"].get<std::uint64_t>() > trainer.options().steps)
    throw IoError(name + ": the checkpoint is beyond its last step");
}

}  // namespace

void save_checkpoint(const Trainer& trainer, const std::filesystem::path& path) {
  std::string bytes = header(trainer);
  append(bytes, trainer.parameters());
  append(bytes, trainer.adam().mean);
  append(bytes, trainer.adam().square);
  write_whole_file(path, bytes);
}

void load_checkpoint(Trainer& trainer, const std::filesystem::path& path) {
  const std::string bytes = read(path);
  const std::size_t end = bytes.find('\n');
  const auto found = parse_header(bytes, end, path.string());
  check_same_run(trainer, found, path.string());
  const std::size_t size = trainer.layout().size;
  if (bytes.size() - (end + 1) != 3 * 8 * size) throw IoError(path.string() + ": the checkpoint is cut short");
  std::size_t at = end + 1;
  std::vector<double> parameters = take(bytes, at, size);
  Adam adam(size);
  adam.mean = take(bytes, at, size);
  adam.square = take(bytes, at, size);
  adam.steps = found["step"].get<std::size_t>();
  trainer.restore(std::move(parameters), std::move(adam));
}

}  // namespace quench::train
