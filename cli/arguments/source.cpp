#include "cli/arguments/source.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "automata/rule/read_rule.h"
#include "base/error.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/recipes.h"
#include "cli/output/terminal.h"
#include "driver/compile.h"
#include "driver/lint_rule.h"
#include "model/file.h"
#include "model/file/strict_json.h"

namespace quench::cli {

namespace {

/// The length of a header in eight bytes, then the header, in braces: no rule begins so.
bool begins_like_model(std::string_view content) {
  return content.size() > 8 && content[8] == '{' && content.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

/// By its ending, or by how it begins.
bool is_model(const std::string& path, std::string_view begin) {
  return path.ends_with(".safetensors") || begins_like_model(begin);
}

std::string first_bytes(const std::string& path) {
  std::string begin(9, ' ');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin;
}

/// Whether a second reader would not find what the first one found: a pipe, a device, standard input.
bool readable_once(const std::string& path) {
  std::error_code ignored;
  return path == "-" || (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored));
}

std::string read_all(std::istream& stream, const std::string& path) {
  std::string content;
  std::array<char, 1 << 16> piece;
  do {
    stream.read(piece.data(), piece.size());
    content.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (content.size() > model::kLargeFile) throw IoError(path + ": there is no end to it within 2 GB");
  } while (stream);
  if (stream.bad()) throw IoError(path + ": cannot read it");
  return content;
}

}  // namespace

void LintArgument::add_to(App& command) {
  command.add_flag("--no-lint", silenced_, "No warnings about rules and words that look mistaken");
}

lang::Rule Source::read() const {
  return diagnose(
      [&] { return kind ? automata::read_rule(text, *kind, limits) : driver::parse_rule(text, name, limits); });
}

void Source::lint(const lang::Rule& rule) const {
  if (linted) say(rendered(driver::lint_rule(rule), text, name));
}

lang::Rule Source::rule() const {
  lang::Rule rule = read();
  lint(rule);
  return rule;
}

bool LoadedModel::closed(const automata::Limits& limits) const {
  if (rule) return lang::closed(*rule);
  try {
    return lang::closed(driver::parse_rule(model.source, "", limits));
  } catch (const DiagnosticError&) {  // models may say anything of where they come from
  } catch (const UserError&) {
  }
  return false;
}

void SourceArguments::add_to(App& command, const std::string& what, const std::string& rest) {
  what_ = what;
  rest_ = rest;
  command.add_option("-e", text_, "The rule as text, instead of a file")->type_name("TEXT");
  command.add_option("--regex", regex_, "A regular expression, instead of a file")->type_name("R");
  limits_.add_to(command);
  lint_.add_to(command);
  command.add_words("arguments", positionals_)->group("");
  command.set_usage("(" + what + " | -e TEXT | --regex R)" + (rest.empty() ? "" : " " + rest));
}

Source SourceArguments::take_source() {
  if (text_) {
    Source source{"-e", *std::exchange(text_, std::nullopt), {}, limits_.limits(), linted()};
    refuse_more();
    return source;
  }
  if (regex_) {
    Source source{"--regex", *std::exchange(regex_, std::nullopt), lang::AutomatonText::regex, limits_.limits(),
                  linted()};
    refuse_more();
    return source;
  }
  if (next_ == positionals_.size())
    throw UserError("no " + what_ + " given; name a file, or write the rule after -e or --regex");
  const std::string& path = positionals_[next_++];
  refuse_more();
  std::optional<std::string> content = std::exchange(content_, std::nullopt);
  Source source{path, content ? std::move(*content) : read_rule(path), {}, limits_.limits(), linted()};
  if (begins_like_model(source.text)) throw UserError(path + " is a compiled model; give the rule it came from");
  return source;
}

std::optional<model::Transformer> SourceArguments::take_model() {
  const bool only_words = (text_ || regex_) && rest_.starts_with("WORD");  // they may be called like files
  if (next_ == positionals_.size() || only_words) return std::nullopt;
  const std::string& path = positionals_[next_];
  if (readable_once(path)) content_ = read_file(path);
  if (!is_model(path, content_ ? *content_ : first_bytes(path))) return std::nullopt;
  ++next_;
  refuse_more();
  const std::optional<std::string> content = std::exchange(content_, std::nullopt);
  return content ? model::load_bytes(*content, path) : model::load(path);
}

/// What was typed is used or refused, never passed over.
void SourceArguments::refuse_more() const {
  if (!rest_.empty() || !given_more()) return;
  if (text_ || regex_)
    throw UserError(fmt::format("there is a {} and {}; give one of them", what_, text_ ? "-e TEXT" : "--regex R"));
  throw UserError(
      fmt::format("one {} is enough; there is no use for {}", what_, model::in_quotes(positionals_[next_])));
}

std::vector<std::string> SourceArguments::take_rest() {
  if (text_ || regex_)
    throw UserError(fmt::format("there is a {} and {}; give one of them", what_, text_ ? "-e TEXT" : "--regex R"));
  std::vector<std::string> rest(positionals_.begin() + static_cast<std::ptrdiff_t>(next_), positionals_.end());
  next_ = positionals_.size();
  return rest;
}

void CompileArguments::add_to(App& command, LengthOption length) {
  all_ = {
      command.add_option("--recipe", options_.recipe, "auto, paper, tight, exact, or a theorem: 12a 12b 13a … 23")
          ->type_name("NAME")
          ->check(recipe_name())
          ->capture_default_str(),
      command.add_option("--sharpen", sharpen_, "Sharpen attention by temperature (τ) or by position encodings")
          ->type_name("WAY")
          ->check(one_of({"temperature", "position"})),
      command.add_flag("--decoder", options_.decoder, "Future-masked attention only"),
      command
          .add_option("--gamma", options_.gamma,
                      "Sharpness of tie-breaks; lookups use gamma·C; at least ln 16 "
                      "(default: 3 for the paper's recipes, 16 for tight)")
          ->type_name("G")
          ->check(gamma_value()),
      command.add_flag("--digits", options_.digits,
                       "Tight: positions as base-256 digits; exact: counts for predicates as base-16 digits; both for "
                       "half formats"),
      command.add_flag("--unshared", options_.unshared,
                       "A coordinate of its own for every value: wider, with fewer edges in its circuit")};
  if (length == LengthOption::ours)
    all_.push_back(
        command
            .add_option("--length", options_.length,
                        "Certified for words up to this length: the smallest model that is, in the format of "
                        "--dtype; of --recipe exact the longest word it serves (default: 1048576)")
            ->type_name("N")
            ->check(whole_number(1, std::int64_t{1} << 53)));
}

const lower::RecipeOptions& CompileArguments::options() {
  if (sharpen_ == "temperature") options_.sharpen = lower::Sharpen::temperature;
  if (sharpen_ == "position") options_.sharpen = lower::Sharpen::position;
  return options_;
}

bool CompileArguments::any_given() const {
  for (const Option* option : all_)
    if (option->count() > 0) return true;
  return false;
}

certified::ForLength CompileArguments::compile(const Source& source, const lang::Rule& rule) {
  const lower::RecipeOptions& asked = options();
  const driver::RegularOptions regular{source.limits, format_};
  certified::ForLength made = source.diagnose([&]() -> certified::ForLength {
    if (asked.length && asked.recipe == "auto")
      return certified::compile_for_length(rule, asked, regular, *asked.length);
    certified::ForLength result{driver::compile(rule, asked, regular), asked, {}};
    const lower::Recipe* recipe = lower::find_recipe(result.compilation.model.recipe);
    if (!longest_ || asked.length || !recipe || !recipe->exact) return result;
    lower::RecipeOptions shorter = asked;
    shorter.recipe = recipe->name;
    shorter.length = longest_;
    return {driver::compile(rule, shorter, regular), shorter, {}};
  });
  source.lint(rule);
  return made;
}

LoadedModel take_model(SourceArguments& arguments, CompileArguments& compile) {
  if (std::optional<model::Transformer> model = arguments.take_model()) {
    if (compile.any_given()) throw UserError("compile options do not apply to a model that is compiled already");
    return {std::move(*model), true, {}, {}};
  }
  LoadedModel loaded;
  loaded.source = arguments.take_source();
  loaded.rule = loaded.source->read();
  loaded.model = compile.compile(*loaded.source, *loaded.rule).compilation.model;
  loaded.source->linted = false;  // once is enough
  return loaded;
}

std::string read_file(const std::string& path) {
  if (path == "-") return read_all(std::cin, "standard input");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw IoError(path + ": is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path + ": cannot open it for reading");
  return read_all(file, path);
}

std::string read_rule(const std::string& path) {
  std::error_code error;
  if (path != "-" && !std::filesystem::exists(path, error))
    throw IoError(path + ": there is no such file (a rule can also be given with -e TEXT or --regex R)");
  return read_file(path);
}

std::vector<GivenWord> collect_words(const std::vector<std::string>& typed, const std::string& input) {
  std::vector<GivenWord> words;
  for (const std::string& word : typed) words.push_back({word});
  if (input.empty()) return words;
  std::istringstream lines(read_file(input));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    words.push_back({line, fmt::format("{}:{}", input == "-" ? "standard input" : input, number)});
    if (line.empty())
      throw UserError(words.back().place +
                      ": the line is blank, and the empty word has no last position, so no rule has a value on it");
  }
  return words;
}

std::vector<std::string> texts_of(const std::vector<GivenWord>& words) {
  std::vector<std::string> texts;
  for (const GivenWord& word : words) texts.push_back(word.text);
  return texts;
}

}  // namespace quench::cli
