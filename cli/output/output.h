// Where the program's words go: standard output, standard error, files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quench::cli {

/// To standard output. Throws IoError if it cannot be written: lost output must not end in exit code 0.
void print(const std::string& text);
/// Now, not when the buffer is full. Throws IoError, also if something printed before was lost.
void flush();

/// To standard error. If that is full or closed nobody is left to be told, so there is no failure.
void say(const std::string& text);

/// All of the file or nothing (base/atomic_file.h). "-" is standard output. Throws IoError.
void write_file(const std::string& path, const std::string& content);

/// What an option that names an output writes.
struct OutputKind {
  std::string_view option, what;          ///< "-o", "the model"
  std::vector<std::string_view> endings;  ///< of its files; none: any will do
  bool standard_output = false;           ///< whether "-" is standard output; otherwise it is refused
};
OutputKind model_output();       ///< -o MODEL.safetensors
OutputKind checkpoint_output();  ///< --checkpoint FILE

/// If a file was asked for: throws the UserError for a name that is none for what is written, or the IoError that writing
/// it would end in, before the work is done. A name without an ending will do, and so will a pipe or a device.
void check_output(const std::string& path, const OutputKind& kind);

/// "i, i^2, odd(i)"; of more than eight the first few and their number: bits of positions are not worth a line each.
std::string listed(const std::vector<std::string>& items);

/// Of a folder that a command writes: throws UserError if it has a name that only files have, such as m.safetensors, and
/// is not there already, or if it is standard output.
void check_folder(const std::string& path, std::string_view option);

/// Those that are files by now: not "", standard output, a pipe or a device.
std::vector<std::string> files_of(const std::vector<std::string>& paths);
/// "written     m.safetensors", and what was written beside it, a line each.
std::string written_text(const std::vector<std::string>& paths);
/// A JSON object with one more field, `"written":[…]`, if there is something to be named.
std::string with_written(const std::string& json, const std::vector<std::string>& paths);

}  // namespace quench::cli
