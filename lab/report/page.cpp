#include "lab/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/svg.h"

namespace quench::lab {
namespace {

constexpr const char* kStyle =
    "body{font:16px/1.5 Helvetica,Arial,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;"
    "background:#fff}img{max-width:100%;height:auto}table{border-collapse:collapse;font-size:14px}"
    "td,th{border:1px solid #ccc;padding:.2rem .5rem;text-align:left}td.n{text-align:right;"
    "font-variant-numeric:tabular-nums}"
    "code,pre{background:#f3f3f3;padding:.1rem .3rem}pre{padding:.6rem;overflow-x:auto}.v{font-weight:bold}";

std::string document(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n<style>{}</style></head>\n"
      "<body>\n{}</body></html>\n",
      escape_xml(title), kStyle, body);
}

bool is_number(const std::string& cell) { return !cell.empty() && !std::isnan(to_number(cell)) && cell != "inf"; }

/// `code` between backquotes becomes <code>.
std::string inline_html(const std::string& text) {
  std::string result;
  bool code = false;
  for (const char c : escape_xml(text)) {
    if (c == '`') {
      result += code ? "</code>" : "<code>";
      code = !code;
    } else {
      result += c;
    }
  }
  return result;
}

std::string table_html(const Table& table) {
  std::string html = "<table><tr>";
  for (const std::string& name : table.columns) html += "<th>" + inline_html(name) + "</th>";
  html += "</tr>\n";
  for (const Row& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row)
      html += (is_number(cell) ? "<td class=\"n\">" : "<td>") + inline_html(shown(cell)) + "</td>";
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

/// A bar would end the cell, even inside code.
std::string in_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.replace(at, 1, "\\|");
  return text;
}

std::string table_markdown(const Table& table) {
  std::string text = "|", rule = "|";
  for (const std::string& name : table.columns) {
    text += " " + in_cell(name) + " |";
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const Row& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) text += " " + in_cell(shown(cell)) + " |";
    text += "\n";
  }
  return text;
}

std::string capitalised(std::string_view word) {
  std::string text(word);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string settings_text(const Settings& settings) {
  return fmt::format("seed {}{}", settings.seed, settings.quick ? ", the quick grid" : "");
}

}  // namespace

std::string shown(const std::string& cell) {
  if (!is_number(cell)) return cell;
  const double number = to_number(cell);
  if (number == std::floor(number) && std::fabs(number) < 1e15) return fmt::format("{:.0f}", number);
  return fmt::format("{:.4g}", number);
}

std::string command_of(const std::string& name, const Settings& settings) {
  std::string command = "quench lab run " + name;
  if (settings.quick) command += " --quick";
  if (settings.seed != 1) command += fmt::format(" --seed {}", settings.seed);
  if (!settings.automata.empty()) command += " --automata DIR";
  return command;
}

std::string to_html(const Experiment& experiment, const Report& report, const Settings& settings) {
  std::string body =
      "<p><a href=\"index.html\">All experiments</a></p>\n<h1>" + escape_xml(experiment.title) + "</h1>\n";
  body += "<h2>Claim</h2>\n<p>" + inline_html(experiment.claim) + "</p>\n";
  body += "<h2>Method</h2>\n<p>" + inline_html(experiment.method) + "</p>\n";
  body += fmt::format("<h2>Figure</h2>\n<p><img src=\"{0}.svg\" alt=\"{1}\"></p>\n", experiment.name,
                      escape_xml(experiment.title));
  body += "<h2>Found</h2>\n<ul>\n";
  for (const Finding& finding : report.findings)
    body += fmt::format("<li><span class=\"v\">{}:</span> {}</li>\n", capitalised(to_string(finding.verdict)),
                        inline_html(finding.sentence));
  body += "</ul>\n";
  if (!report.remarks.empty()) body += "<p>" + inline_html(report.remarks) + "</p>\n";
  body += "<h2>Table</h2>\n" + table_html(report.summary);
  body += fmt::format("<p>Every measurement: <a href=\"{0}.csv\">{0}.csv</a>.</p>\n", experiment.name);
  body += fmt::format("<h2>To repeat it</h2>\n<pre>{}</pre>\n<p>({})</p>\n", command_of(experiment.name, settings),
                      settings_text(settings));
  return document(experiment.title, body);
}

std::string to_markdown(const Experiment& experiment, const Report& report, const Settings& settings) {
  std::string text = "# " + experiment.title + "\n\n";
  text += "**Claim.** " + experiment.claim + "\n\n";
  text += "**Method.** " + experiment.method + "\n\n";
  text += fmt::format("![{}]({}.svg)\n\n", experiment.title, experiment.name);
  text += "## Found\n\n";
  for (const Finding& finding : report.findings)
    text += fmt::format("- **{}**: {}\n", capitalised(to_string(finding.verdict)), finding.sentence);
  if (!report.remarks.empty()) text += "\n" + report.remarks + "\n";
  text += "\n## Table\n\n" + table_markdown(report.summary);
  text += fmt::format(
      "\n## To repeat it\n\n```text\n{}\n```\n\nWritten by this command ({}); it also writes every measurement as "
      "`{}.csv`.\n",
      command_of(experiment.name, settings), settings_text(settings), experiment.name);
  return text;
}

std::string index_html(const std::vector<IndexEntry>& entries) {
  std::string body =
      "<h1>The lab</h1>\n<p>Claims as measurements. Each page has its claim, method, figure, findings, "
      "table, and the command that repeats it.</p>\n<table><tr><th>experiment</th><th>found</th></tr>\n";
  for (const IndexEntry& entry : entries) {
    body += fmt::format("<tr><td><a href=\"{0}.html\">{0}</a><br>{1}</td><td>", entry.name, escape_xml(entry.title));
    for (const Finding& finding : entry.findings)
      body += fmt::format("<p><span class=\"v\">{}:</span> {}</p>", capitalised(to_string(finding.verdict)),
                          inline_html(finding.sentence));
    body += "</td></tr>\n";
  }
  return document("The lab", body + "</table>\n");
}

std::string index_markdown(const std::vector<IndexEntry>& entries) {
  std::string text = "# The lab: results\n\nWritten by `quench lab run`; how it works: [lab.md](../lab.md).\n\n";
  for (const IndexEntry& entry : entries) {
    text += fmt::format("## [{0}]({0}.md)\n\n{1}\n\n", entry.name, entry.title);
    for (const Finding& finding : entry.findings)
      text += fmt::format("- **{}**: {}\n", capitalised(to_string(finding.verdict)), finding.sentence);
    text += "\n";
  }
  return text;
}

}  // namespace quench::lab
