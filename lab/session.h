// Running an experiment into a directory: NAME.csv, NAME.svg, NAME.html, NAME.md, and NAME.json, which says with what
// settings they were made. Finished work is not done again; unfinished work (NAME.part) is taken up where it stopped.
// Files appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "lab/experiment.h"
#include "lab/report/page.h"

namespace quench::lab {

struct SessionOptions {
  Settings settings;
  std::filesystem::path out;
  bool force = false;  ///< measure again, whatever is there
  /// After every case, from any thread.
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct Outcome {
  bool measured = false;    ///< false: the results were there already
  std::size_t resumed = 0;  ///< cases taken over from an unfinished run
  std::vector<Finding> findings;
};

/// Throws IoError if the directory cannot be written.
Outcome run_experiment(const Experiment& experiment, const SessionOptions& options);

/// index.html and index.md of whatever results the directory holds.
void write_index(const std::filesystem::path& out);

/// Creates the directory if need be, and sees that it can be written. Throws IoError.
void prepare_directory(const std::filesystem::path& out);

}  // namespace quench::lab
