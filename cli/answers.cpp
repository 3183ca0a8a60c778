#include "answers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace quench::cli {

std::string answer_json(const std::string& word, const std::vector<std::uint8_t>& values) {
  nlohmann::ordered_json json;
  json["word"] = word;
  json["n"] = values.size();
  json["values"] = values;
  json["accept"] = values.back() != 0;
  return json.dump() + "\n";
}

std::string answer_text(const std::string& word, const std::vector<std::uint8_t>& values, std::size_t width) {
  std::string text = word;
  const std::size_t used = display_width(word);
  text.append(width > used ? width - used : 0, ' ');
  text += "   ";
  for (const std::uint8_t value : values) text += value ? '1' : '0';
  return text + (values.back() ? "   accept\n" : "   reject\n");
}

std::size_t widest(const std::vector<std::string>& words) {
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, display_width(word));
  return width;
}

}  // namespace quench::cli
