// Whether a text is well-formed XML of the plain kind our figures are: elements, attributes in double quotes, text, the
// five entities. Written against the grammar, not against the writer.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace quench::test {

/// "" or what is wrong.
inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> open;
  std::size_t at = 0;
  bool rooted = false;
  const auto name = [&] {
    const std::size_t begin = at;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '-' || text[at] == ':'))
      ++at;
    return std::string(text.substr(begin, at - begin));
  };
  const auto entity = [&] {
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
      if (text.substr(at).starts_with(known)) return true;
    return false;
  };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '&') {
      if (!entity()) return "stray & at " + std::to_string(at);
      ++at;
    } else if (c != '<') {
      if (open.empty() && !std::isspace(static_cast<unsigned char>(c))) return "text outside the root";
      ++at;
    } else if (text.substr(at).starts_with("</")) {
      at += 2;
      const std::string closed = name();
      if (open.empty() || open.back() != closed) return "unexpected </" + closed + ">";
      open.pop_back();
      if (at >= text.size() || text[at++] != '>') return "no > after </" + closed;
    } else {
      ++at;
      const std::string element = name();
      if (element.empty()) return "no element name at " + std::to_string(at);
      if (open.empty() && rooted) return "a second root";
      rooted = true;
      for (;;) {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
        if (at >= text.size()) return "unfinished <" + element;
        if (text[at] == '>' || text[at] == '/') break;
        if (name().empty()) return "no attribute name in <" + element;
        if (!text.substr(at).starts_with("=\"")) return "attribute without quotes in <" + element;
        for (at += 2; at < text.size() && text[at] != '"'; ++at)
          if (text[at] == '<' || (text[at] == '&' && !entity())) return "bad attribute value in <" + element;
        ++at;
      }
      if (text[at] == '/') {
        if (++at >= text.size() || text[at] != '>') return "no > after <" + element + "/";
      } else {
        open.push_back(element);
      }
      ++at;
    }
  }
  if (!open.empty()) return "<" + open.back() + "> is not closed";
  return rooted ? "" : "no root";
}

}  // namespace quench::test
