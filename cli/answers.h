// How an answer looks: what run, eval and words print for one word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quench::cli {

/// {"word","n","values":[0/1…],"accept"}
std::string answer_json(const std::string& word, const std::vector<std::uint8_t>& values);
/// "0111   0101   accept", the word padded to `width` columns
std::string answer_text(const std::string& word, const std::vector<std::uint8_t>& values, std::size_t width);
/// The widest of the words, in columns.
std::size_t widest(const std::vector<std::string>& words);

}  // namespace quench::cli
