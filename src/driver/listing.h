// A stage of the pipeline as tables and arrows, and its four renderings.
#pragma once

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

std::string to_text(const Listing& listing);
std::string to_latex(const Listing& listing);
std::string to_dot(const Listing& listing);
/// {"stage", "<title>": [{"<column>": "<cell>", …}, …], …}
std::string to_json(const Listing& listing);

}  // namespace quench::driver
