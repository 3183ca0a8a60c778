// The journal of a campaign: a line for every piece that is done, written as it is done, from which a campaign that was
// stopped goes on.
//
// A line is the first 16 hexadecimal digits of the SHA-256 of its text, a blank, and the text, which is one JSON
// object. The first says which campaign it is; the others have a piece and what it gave. A line that was cut off, or
// whose digits are not those of its text, ends the journal: what is behind it is written again.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "campaign/work.h"

namespace quench::campaign {

class Journal {
 public:
  enum class Start {
    fresh,  ///< the file must not be there, or be empty
    retry,  ///< what is there is taken over; if nothing is, from the beginning
  };
  /// Opens the file, for nobody else meanwhile, and calls `known` for every piece in it. Throws UserError if it is
  /// there and not wanted, or of another campaign; IoError if it cannot be read or written.
  Journal(const std::filesystem::path& path, Start start, const Work& work,
          const std::function<void(std::uint64_t piece, const nlohmann::json& result)>& known);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// On the way to the disk when it returns: a process that is killed loses nothing of it. Throws IoError.
  void add(std::uint64_t piece, const nlohmann::json& result, double seconds);

 private:
  void write(const std::string& line);

  std::filesystem::path path_;
  int file_ = -1;
  std::chrono::steady_clock::time_point synced_{};
};

/// A line with its digits, and the text of one that has the right ones (without its line end), or "".
std::string journal_line(const std::string& text);
std::string_view journal_text(std::string_view line);

}  // namespace quench::campaign
