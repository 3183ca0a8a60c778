// A stage of the pipeline as tables and arrows, and its four renderings.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace quench::driver {

/// The column with names of nodes, heads and coordinates. They may be long: text and LaTeX show their beginning, JSON
/// all of them.
inline constexpr const char* kNameColumn = "what it is";
/// What follows the name of the node that is the output.
inline constexpr const char* kOutputMark = "   <- output";

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct Listing {
  std::string stage;
  std::vector<Table> tables;
  /// For dot: nodes with a label, and the data flow between them.
  struct Vertex {
    std::string id, label;
    int rank = -1;  ///< vertices of one rank ≥ 0 are drawn side by side
  };
  std::vector<Vertex> vertices;
  std::vector<std::pair<std::string, std::string>> arrows;
};

/// In at most `columns` columns, as far as a table can be that narrow: last columns that do not fit beside the others are
/// folded, or go below the row, each with its name. Nothing is left out.
std::string to_text(const Listing& listing, std::size_t columns = std::numeric_limits<std::size_t>::max());
std::string to_latex(const Listing& listing);
std::string to_dot(const Listing& listing);
/// {"stage", "<title>": [{"<column>": "<cell>", …}, …], …}
std::string to_json(const Listing& listing);

}  // namespace quench::driver
