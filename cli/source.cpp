#include "source.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "base/error.h"
#include "driver/compile.h"
#include "model/file.h"

namespace quench::cli {

namespace {

/// The length of a header in eight bytes, then the header, in braces: no rule begins so.
bool begins_like_model(std::string_view content) {
  return content.size() > 8 && content[8] == '{' && content.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

/// By its ending, or by how it begins.
bool is_model_file(const std::string& path) {
  std::string begin(9, ' ');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return path.ends_with(".safetensors") || begins_like_model(begin);
}

}  // namespace

lang::Rule Source::rule() const {
  return diagnose([&] { return driver::parse_rule(text, name); });
}

void SourceArguments::add_to(CLI::App& command, const std::string& what, const std::string& rest) {
  what_ = what;
  command.add_option("-e", text_, "The rule as text, instead of a file")->type_name("TEXT");
  command.add_option("arguments", positionals_)->group("");
  set_usage(command, "(" + what + " | -e TEXT)" + (rest.empty() ? "" : " " + rest));
}

Source SourceArguments::take_source() {
  if (text_) {
    Source source{"-e", *std::exchange(text_, std::nullopt)};
    return source;
  }
  if (next_ == positionals_.size()) throw UserError("no " + what_ + " given; name a file, or write the rule after -e");
  const std::string& path = positionals_[next_++];
  Source source{path, read_file(path)};
  if (begins_like_model(source.text)) throw UserError(path + " is a compiled model; give the rule it came from");
  return source;
}

std::optional<std::string> SourceArguments::take_model_file() {
  if (next_ == positionals_.size() || !is_model_file(positionals_[next_])) return std::nullopt;
  return positionals_[next_++];
}

std::vector<std::string> SourceArguments::take_rest() {
  if (text_) throw UserError("there is a " + what_ + " and -e TEXT; give one of them");
  std::vector<std::string> rest(positionals_.begin() + static_cast<std::ptrdiff_t>(next_), positionals_.end());
  next_ = positionals_.size();
  return rest;
}

void CompileArguments::add_to(CLI::App& command) {
  all_ = {command.add_option("--recipe", options_.recipe, "auto, paper, tight, or a theorem: 12a 12b 13a … 23")
              ->type_name("NAME")
              ->capture_default_str(),
          command.add_option("--sharpen", sharpen_, "Sharpen attention by temperature (τ) or by position encodings")
              ->type_name("WAY")
              ->check(one_of({"temperature", "position"})),
          command.add_flag("--decoder", options_.decoder, "Future-masked attention only"),
          command
              .add_option("--gamma", options_.gamma,
                          "Sharpness of tie-breaks; lookups use gamma·C; at least ln 16 "
                          "(default: 3 for the paper's recipes, 16 for tight)")
              ->type_name("G"),
          command.add_flag("--digits", options_.digits, "Tight: positions as base-256 digits, exact in half formats")};
}

const lower::RecipeOptions& CompileArguments::options() {
  if (sharpen_ == "temperature") options_.sharpen = lower::Sharpen::temperature;
  if (sharpen_ == "position") options_.sharpen = lower::Sharpen::position;
  return options_;
}

bool CompileArguments::any_given() const {
  for (const CLI::Option* option : all_)
    if (option->count() > 0) return true;
  return false;
}

LoadedModel take_model(SourceArguments& arguments, CompileArguments& compile) {
  if (const std::optional<std::string> file = arguments.take_model_file()) {
    if (compile.any_given()) throw UserError("compile options do not apply to a model that is compiled already");
    return {model::load(*file), true, {}};
  }
  LoadedModel loaded;
  loaded.source = arguments.take_source();
  const lang::Rule rule = loaded.source->rule();
  loaded.model = loaded.source->diagnose([&] { return driver::compile(rule, compile.options()).model; });
  return loaded;
}

std::string read_file(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw IoError(path + ": is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path + ": cannot open it for reading (a rule can also be given with -e TEXT)");
  std::ostringstream content;
  content << file.rdbuf();
  if (file.bad()) throw IoError(path + ": cannot read it");
  return content.str();
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void write_file(const std::string& path, const std::string& content) {
  if (path == "-") return print(content);
  const std::string temporary = path + ".part";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::filesystem::remove(temporary, error);
    throw IoError(path + ": cannot write it");
  }
}

std::vector<std::string> collect_words(std::vector<std::string> words, const std::string& input) {
  if (input.empty()) return words;
  std::istringstream lines(read_file(input));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    words.push_back(line);
  }
  return words;
}

}  // namespace quench::cli
