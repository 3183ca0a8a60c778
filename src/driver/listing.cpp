#include "driver/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/utf8.h"
#include "driver/table_text.h"

namespace quench::driver {
namespace {

std::string escape(const std::string& text, const std::map<char, std::string>& replacements) {
  std::string result;
  for (const char c : text) {
    const auto found = replacements.find(c);
    found == replacements.end() ? void(result += c) : void(result += found->second);
  }
  return result;
}

std::string latex_escape(const std::string& text) {
  return escape(text, {{'\\', "\\textbackslash{}"},
                       {'{', "\\{"},
                       {'}', "\\}"},
                       {'_', "\\_"},
                       {'#', "\\#"},
                       {'%', "\\%"},
                       {'&', "\\&"},
                       {'$', "\\$"},
                       {'^', "\\^{}"},
                       {'~', "\\~{}"}});
}

std::string dot_escape(const std::string& text) { return escape(text, {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}}); }

/// The table with long names cut.
Table shown(Table table) {
  const auto names = std::find(table.columns.begin(), table.columns.end(), kNameColumn);
  if (names == table.columns.end()) return table;
  for (auto& row : table.rows) {
    std::string& name = row[static_cast<std::size_t>(names - table.columns.begin())];
    const std::string mark = name.ends_with(kOutputMark) ? kOutputMark : "";
    name = printable(std::string_view(name).substr(0, name.size() - mark.size()), kShownName) + mark;
  }
  return table;
}

}  // namespace

std::string to_text(const Listing& listing, std::size_t columns) {
  std::string out;
  for (const Table& table : listing.tables) {
    if (!out.empty()) out += "\n";
    out += table_text(shown(table), columns);
  }
  return out;
}

std::string to_latex(const Listing& listing) {
  std::string out;
  for (const Table& whole : listing.tables) {
    const Table table = shown(whole);
    out += fmt::format("\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{{}}}\n\\hline\n",
                       latex_escape(table.title), std::string(table.columns.size(), 'l'));
    const auto line = [&](const std::vector<std::string>& cells) {
      std::string text;
      for (std::size_t c = 0; c < cells.size(); ++c) text += (c ? " & " : "") + latex_escape(cells[c]);
      return text + " \\\\\n";
    };
    out += line(table.columns) + "\\hline\n";
    for (const auto& row : table.rows) out += line(row);
    out += "\\hline\n\\end{tabular}\n\\end{table}\n";
  }
  return out;
}

std::string to_dot(const Listing& listing) {
  std::string out =
      fmt::format("digraph {} {{\n  rankdir=BT;\n  node [shape=box, fontname=\"Helvetica\"];\n", listing.stage);
  std::map<int, std::string> ranks;
  for (const Listing::Vertex& vertex : listing.vertices) {
    out += fmt::format("  {} [label=\"{}\"];\n", vertex.id, dot_escape(vertex.label));
    if (vertex.rank >= 0) ranks[vertex.rank] += vertex.id + "; ";
  }
  for (const auto& [rank, ids] : ranks) out += fmt::format("  {{ rank=same; {}}}\n", ids);
  for (const auto& [from, to] : listing.arrows) out += fmt::format("  {} -> {};\n", from, to);
  return out + "}\n";
}

std::string to_json(const Listing& listing) {
  nlohmann::ordered_json document;
  document["stage"] = listing.stage;
  for (const Table& table : listing.tables) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
      nlohmann::ordered_json object;
      for (std::size_t c = 0; c < row.size(); ++c) object[table.columns[c]] = row[c];
      rows.push_back(std::move(object));
    }
    document[table.title] = std::move(rows);
  }
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace quench::driver
