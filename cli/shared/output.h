// Where the program's words go: standard output, standard error, files.
#pragma once

#include <string>

namespace quench::cli {

/// To standard output. Throws IoError if it cannot be written: lost output must not end in exit code 0.
void print(const std::string& text);
/// Now, not when the buffer is full. Throws IoError, also if something printed before was lost.
void flush();

/// To standard error. If that is full or closed nobody is left to be told, so there is no failure.
void say(const std::string& text);

/// All of the file or nothing (base/atomic_file.h). "-" is standard output. Throws IoError.
void write_file(const std::string& path, const std::string& content);

/// If a file was asked for: throws the IoError that writing it would end in, before the work is done.
void check_output(const std::string& path);

}  // namespace quench::cli
