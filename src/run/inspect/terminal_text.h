// Text in terminal columns, for the tables and pictures of this folder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quench::run {

/// Columns a UTF-8 text takes; characters from the wide blocks (CJK, emoji) take two.
std::size_t columns(std::string_view text);
/// At most `limit` columns of the text; what is cut off ends in "…". Control characters show as "�".
std::string cut(std::string_view text, std::size_t limit);
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

}  // namespace quench::run
