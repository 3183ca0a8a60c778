#include "lang/print/print_program_formats.h"

#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/overloaded.h"
#include "base/text/utf8.h"
#include "lang/operators.h"
#include "lang/print/print_program.h"

namespace quench::lang {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestProgramLabel = 60;

std::string_view word(Connective op) {
  static constexpr std::string_view words[] = {"and", "or", "->", "<->", "xor"};
  return words[static_cast<int>(op)];
}

/// The lines of print(program) after the alphabet, one per vector.
std::vector<std::string> definition_lines(const Program& program) {
  std::vector<std::string> lines;
  const std::string text = print(program);
  for (std::size_t begin = text.find('\n') + 1; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string dot_escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text, kLongestProgramLabel)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string latex_text(std::string_view text) {
  static const std::map<char, std::string> replacements{{'\\', "\\textbackslash{}"},
                                                        {'{', "\\{"},
                                                        {'}', "\\}"},
                                                        {'_', "\\_"},
                                                        {'#', "\\#"},
                                                        {'%', "\\%"},
                                                        {'&', "\\&"},
                                                        {'$', "\\$"},
                                                        {'^', "\\^{}"},
                                                        {'~', "\\~{}"}};
  std::string result;
  for (const char c : text) {
    const auto found = replacements.find(c);
    result += found == replacements.end() ? std::string(1, c) : found->second;
  }
  return result;
}

/// The source text of a definition in mathematical notation, token by token.
class LatexTokens {
 public:
  explicit LatexTokens(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\'' || c == '"') return quoted(c);
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80) return name();
    static const std::vector<std::pair<std::string_view, std::string_view>> signs{{"<->", "\\leftrightarrow "},
                                                                                  {"->", "\\rightarrow "},
                                                                                  {"<=", "\\le "},
                                                                                  {">=", "\\ge "},
                                                                                  {"!=", "\\ne "},
                                                                                  {"*", "\\cdot "},
                                                                                  {"{", "\\{"},
                                                                                  {"}", "\\}"},
                                                                                  {"#", "\\#"},
                                                                                  {" ", "\\ "}};
    for (const auto& [sign, latex] : signs)
      if (text_.substr(at_).starts_with(sign)) {
        out_ += latex;
        at_ += sign.size();
        return;
      }
    out_ += c;
    ++at_;
  }

  void quoted(char quote) {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    out_ += "\\texttt{" + latex_text(text_.substr(begin, at_ - begin)) + "}";
    ++at_;
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.' || static_cast<unsigned char>(text_[at_]) >= 0x80))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    static const std::map<std::string_view, std::string_view> words{{"and", "\\wedge "},
                                                                    {"or", "\\vee "},
                                                                    {"not", "\\neg "},
                                                                    {"xor", "\\oplus "},
                                                                    {"true", "\\top "},
                                                                    {"false", "\\bot "},
                                                                    {"leftmost", "\\blacktriangleleft "},
                                                                    {"rightmost", "\\blacktriangleright "}};
    if (const auto found = words.find(word); found != words.end())
      out_ += found->second;
    else if (word.size() == 1 || std::isdigit(static_cast<unsigned char>(word[0])))
      out_ += word;
    else
      out_ += "\\mathit{" + latex_text(word) + "}";
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

void describe(const Expression& expression, Json& entry) {
  const auto at = [&](At position) { entry["at"] = position == At::i ? "i" : "j"; };
  const auto kind = [&](const char* text) { entry["kind"] = text; };
  std::visit(Overloaded{[&](const BooleanConstant& x) { kind("boolean"), entry["value"] = x.value; },
                        [&](const SymbolConstant& x) { kind("symbol"), entry["symbol"] = x.symbol; },
                        [&](const StringConstant& x) { kind("string"), entry["string"] = x.string; },
                        [&](const IntegerConstant& x) { kind("integer"), entry["value"] = x.value; },
                        [&](const ScoreConstant& x) { kind("score"), entry["millionths"] = x.millionths; },
                        [&](const Input& x) { kind("input"), at(x.at); },
                        [&](const PositionAt& x) { kind("position"), at(x.at); },
                        [&](const VectorAt& x) { kind("vector"), entry["vector"] = x.vector.index, at(x.at); },
                        [&](const Negation&) { kind("not"); },
                        [&](const Connection& x) { kind("connective"), entry["operator"] = word(x.op); },
                        [&](const SameSymbol&) { kind("same_symbol"); },
                        [&](const MemberOf& x) { kind("member"), entry["symbols"] = x.symbols; },
                        [&](const Compare& x) { kind("comparison"), entry["relation"] = facts(x.relation).symbol; },
                        [&](const AsInteger&) { kind("as_integer"); }, [&](const AsString&) { kind("as_string"); },
                        [&](const AsScore&) { kind("as_score"); },
                        [&](const Sum& x) { kind("sum"), entry["factor"] = x.factor; },
                        [&](const Choice&) { kind("choice"); }},
             expression);
}

Json definition_json(const Definition& definition) {
  return std::visit(Overloaded{[](const Pointwise& x) {
                                 return Json{{"kind", "pointwise"}, {"value", x.value.index}};
                               },
                               [](const Attention& x) {
                                 return Json{{"kind", x.side == Side::leftmost ? "leftmost" : "rightmost"},
                                             {"mask", to_string(x.reach)},
                                             {"score", x.score.index},
                                             {"value", x.value.index},
                                             {"default", x.otherwise.index}};
                               },
                               [](const SumOver& x) {
                                 return Json{{"kind", "psum"}, {"mask", to_string(x.reach)}, {"value", x.value.index}};
                               },
                               [](const Mean& x) {
                                 return Json{{"kind", "mean"}, {"mask", to_string(x.reach)}, {"value", x.value.index}};
                               }},
                    definition);
}

}  // namespace

std::string print_dot(const Program& program) {
  std::string text = "digraph program {\n  node [shape=box, fontname=\"monospace\"];\n";
  const std::vector<bool> needed = program.needed();
  const std::vector<std::string> lines = definition_lines(program);
  std::set<VectorId> outputs;
  for (const VectorId id : program.outputs()) outputs.insert(id);
  for (std::size_t k = 0; k < program.vector_count(); ++k) {
    if (!needed[k]) continue;
    const std::string name = "v" + std::to_string(k);
    text += "  " + name + " [label=\"" + dot_escaped(lines[k]) + "\"";
    text += outputs.contains(VectorId(k)) ? ", peripheries=2];\n" : "];\n";
    std::set<VectorId> read;
    for (const ExpressionId id : expressions_of(program, roots(program[VectorId(k)])))
      if (const auto* at = std::get_if<VectorAt>(&program[id])) read.insert(at->vector);
    for (const VectorId id : read) text += "  " + name + " -> v" + std::to_string(id.index) + ";\n";
  }
  return text + "}\n";
}

std::string print_latex(const Program& program) {
  std::string text = "\\begin{align*}\n";
  for (const std::string& line : definition_lines(program)) {
    const std::size_t equals = line.find(" = ");
    text += "  " + LatexTokens(line.substr(0, equals)).run() + " &= " + LatexTokens(line.substr(equals + 3)).run() +
            " \\\\\n";
  }
  return text + "\\end{align*}\n";
}

std::string print_json(const Program& program) {
  Json document;
  document["symbols"] = program.alphabet.symbols();
  document["strings"] = program.strings;
  const std::vector<bool> needed = program.needed();
  std::set<ExpressionId> used;
  document["vectors"] = Json::array();
  for (std::size_t k = 0; k < program.vector_count(); ++k) {
    if (!needed[k]) continue;
    const Vector& vector = program[VectorId(k)];
    Json entry = {{"id", k}, {"name", vector.name}, {"sort", to_string(vector.sort)}};
    entry.update(definition_json(vector.definition));
    document["vectors"].push_back(std::move(entry));
    for (const ExpressionId id : expressions_of(program, roots(vector))) used.insert(id);
  }
  document["expressions"] = Json::array();
  for (const ExpressionId id : used) {
    Json entry = {{"id", id.index}, {"sort", to_string(program.sort(id))}};
    describe(program[id], entry);
    entry["args"] = Json::array();
    for_each_operand(program[id], [&](ExpressionId operand) { entry["args"].push_back(operand.index); });
    document["expressions"].push_back(std::move(entry));
  }
  document["outputs"] = Json::array();
  for (const VectorId id : program.outputs()) document["outputs"].push_back(id.index);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quench::lang
