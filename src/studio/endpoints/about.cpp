// /api/about: what does not depend on a rule.
#include <algorithm>
#include <sstream>

#include "studio/desk.h"
#include "studio/examples.h"

namespace quench::studio {
namespace {

constexpr std::size_t kLongWord = 24;  // of the word that an example begins with

std::string kind_of(const std::string& ending) {
  if (ending == "tl") return "formula";
  return ending == "brasp" || ending == "srasp" ? "program" : ending;
}

/// Words separated by blanks; one with blanks in it stands in double quotes.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size(); at = line.find_first_not_of(' ', at)) {
    const bool quoted = line[at] == '"';
    const std::size_t begin = quoted ? at + 1 : at, end = std::min(line.find(quoted ? '"' : ' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    at = quoted ? end + 1 : end;
  }
  return words;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(" \""));
  text.erase(text.find_last_not_of(" \"") + 1);
  return text;
}

/// What the comments before a rule say.
struct Comments {
  std::string sentence;
  std::vector<std::string> accepts, rejects;
  std::vector<std::pair<std::string, std::string>> maps;
};

Comments comments_of(const std::string& text) {
  Comments comments;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    const auto says = [&](std::string_view key) { return line.starts_with(key); };
    const std::string rest = line.substr(std::min(line.find(':') + 1, line.size()));
    if (says("// accepts:")) {
      for (std::string& word : words_of(rest)) comments.accepts.push_back(std::move(word));
    } else if (says("// rejects:")) {
      for (std::string& word : words_of(rest)) comments.rejects.push_back(std::move(word));
    } else if (says("// maps:")) {
      const std::size_t arrow = std::min(rest.find("->"), rest.size() - 2);
      comments.maps.emplace_back(trimmed(rest.substr(0, arrow)), trimmed(rest.substr(arrow + 2)));
    } else if (!says("// values:") && line.size() > 3) {
      comments.sentence += (comments.sentence.empty() ? "" : " ") + line.substr(3);
    }
  }
  return comments;
}

/// The longest that is not too long to look at.
std::string first_word(const Comments& comments) {
  std::string best;
  const auto consider = [&](const std::string& word) {
    if (word.size() > best.size() && word.size() <= kLongWord) best = word;
  };
  for (const std::string& word : comments.accepts) consider(word);
  for (const auto& [word, to] : comments.maps) consider(word);
  if (best.empty()) best = comments.accepts.empty() ? "a" : comments.accepts.front();
  return best;
}

Json example_json(const ExampleText& example) {
  const std::string file(example.name), text(example.text);
  const std::size_t dot = file.rfind('.');
  const Comments comments = comments_of(text);
  Json maps = Json::array();
  for (const auto& [word, to] : comments.maps) maps.push_back({{"word", word}, {"to", to}});
  return {{"name", file.substr(0, dot)},
          {"file", file},
          {"kind", kind_of(file.substr(dot + 1))},
          {"sentence", comments.sentence},
          {"text", text},
          {"word", first_word(comments)},
          {"accepts", comments.accepts},
          {"rejects", comments.rejects},
          {"maps", std::move(maps)}};
}

Json formats_json() {
  Json result = Json::array();
  const std::vector<Format> usual = usual_formats();
  for (const Format format : all_formats())
    result.push_back({{"name", name_of(format)},
                      {"usual", std::find(usual.begin(), usual.end(), format) != usual.end()},
                      {"linear", format == Format::f64 || format == Format::f32}});
  return result;
}

Json recipes_json() {
  Json result = Json::array({{{"name", "auto"}, {"theorem", "tight, or the automaton itself"}},
                             {{"name", "paper"}, {"theorem", "the first theorem of the paper that covers the rule"}}});
  for (const RecipeName& recipe : recipes()) result.push_back({{"name", recipe.name}, {"theorem", recipe.theorem}});
  return result;
}

Json limits_json(const Limits& limits) {
  return {{"body_bytes", limits.body_bytes},
          {"text_bytes", limits.text_bytes},
          {"word", limits.word},
          {"view_cells", limits.view_cells},
          {"length", limits.length},
          {"slow_length", limits.slow_length},
          {"models", limits.models},
          {"model_bytes", limits.model_bytes},
          {"jobs", limits.jobs},
          {"seconds", limits.seconds},
          {"job_seconds", limits.job_seconds},
          {"certify_formats", limits.certify_formats},
          {"verify_words", limits.verify_words}};
}

}  // namespace

Json about(const Desk& desk) {
  Json examples_list = Json::array();
  for (const ExampleText& example : examples()) examples_list.push_back(example_json(example));
  return {{"version", desk.version},
          {"formats", formats_json()},
          {"recipes", recipes_json()},
          {"kinds", {"auto", "formula", "program", "regex", "dfa", "att", "hoa"}},
          {"stages", {"ast", "ir", "schedule", "layout", "model"}},
          {"limits", limits_json(desk.limits)},
          {"examples", std::move(examples_list)}};
}

}  // namespace quench::studio
