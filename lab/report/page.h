// What a reader sees of an experiment: one page, as HTML and as Markdown, and the index of all pages.
#pragma once

#include <string>
#include <vector>

#include "lab/experiment.h"

namespace quench::lab {

/// The command that repeats it, without --out.
std::string command_of(const std::string& name, const Settings& settings);

std::string to_html(const Experiment& experiment, const Report& report, const Settings& settings);
std::string to_markdown(const Experiment& experiment, const Report& report, const Settings& settings);

/// A line of the index.
struct IndexEntry {
  std::string name, title;
  std::vector<Finding> findings;
};
std::string index_html(const std::vector<IndexEntry>& entries);
std::string index_markdown(const std::vector<IndexEntry>& entries);

/// A number as pages show it: four significant digits, whole numbers whole.
std::string shown(const std::string& cell);

}  // namespace quench::lab
