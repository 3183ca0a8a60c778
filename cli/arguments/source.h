// What commands are given to work on: a rule (a file, -e TEXT or --regex R), or a model (a file, or a rule compiled on
// the fly).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text/diagnostic.h"
#include "certified/for_length.h"
#include "cli/arguments/limits.h"
#include "cli/command.h"
#include "cli/output/output.h"
#include "driver/compile.h"
#include "lang/rule.h"
#include "lower/recipe.h"
#include "model/transformer.h"

namespace quench::cli {

/// --no-lint: whether rules and words that look mistaken are left alone.
class LintArgument {
 public:
  void add_to(App& command);
  bool wanted() const { return !silenced_; }

 private:
  bool silenced_ = false;
};

/// Text of a rule and where it came from.
struct Source {
  std::string name, text;
  std::optional<lang::AutomatonText> kind = {};  ///< of --regex; otherwise the name and the text say it
  automata::Limits limits = {};
  bool linted = false;  ///< without --no-lint

  /// Runs `work`; diagnostics it throws come out as RenderedError with this text.
  template <class Work>
  auto diagnose(Work work) const {
    try {
      return work();
    } catch (const DiagnosticError& error) {
      throw RenderedError(error.diagnostics, text, name);
    }
  }
  /// What it says; if the source is linted, also on standard error what looks mistaken about that.
  lang::Rule rule() const;
  /// The two by themselves: a rule that cannot be compiled gets an error instead of warnings.
  lang::Rule read() const;
  void lint(const lang::Rule& rule) const;
};

/// `SOURCE`: the first positional argument, -e TEXT or --regex R; the positionals left over are the command's own.
class SourceArguments {
 public:
  /// `what` is "SOURCE" or "MODEL"; `rest` names the remaining positionals ("WORD..."), empty if there are none.
  void add_to(App& command, const std::string& what, const std::string& rest);
  /// Whether something is left to take.
  bool given_more() const { return text_ || regex_ || next_ < positionals_.size(); }
  /// Takes the next SOURCE. Throws UserError if there is none, IoError if the file cannot be read.
  Source take_source();
  /// Takes the next positional, if it is a model file. Throws IoError if it is a damaged one.
  std::optional<model::Transformer> take_model();
  std::vector<std::string> take_rest();
  /// What --limit allows.
  automata::Limits limits() const { return limits_.limits(); }
  /// Whether --no-lint was not given.
  bool linted() const { return lint_.wanted(); }

 private:
  void refuse_more() const;

  std::optional<std::string> text_, regex_;
  LimitArguments limits_;
  LintArgument lint_;
  std::vector<std::string> positionals_;
  std::size_t next_ = 0;
  std::optional<std::string> content_;  ///< of the next positional, if it is a pipe: that can be read only once
  std::string what_, rest_;
};

/// Whether --length of a command is the one that weights are made for, or means something else there.
enum class LengthOption : std::uint8_t { ours, its_own };

/// --recipe, --sharpen, --decoder, --gamma, --digits, --unshared, --length.
class CompileArguments {
 public:
  void add_to(App& command, LengthOption length = LengthOption::ours);
  const lower::RecipeOptions& options();
  bool any_given() const;
  /// The number format in which certified lengths choose: among recipes with --length, among the formulas of an
  /// automaton.
  void choose_in(NumberFormat format) { format_ = format; }
  /// The longest word that is of any use: what exact recipes serve where --length does not say.
  void serve(std::size_t longest) { longest_ = longest; }
  /// The rule, read from the source, as a network; with --length and no recipe, the smallest that is certified up to
  /// there. Then the warnings about it.
  certified::ForLength compile(const Source& source, const lang::Rule& rule);

 private:
  lower::RecipeOptions options_;
  NumberFormat format_ = NumberFormat::f32;
  std::optional<std::size_t> longest_;
  std::string sharpen_;
  std::vector<Option*> all_;
};

/// A model file, or a rule compiled with the compile options.
struct LoadedModel {
  model::Transformer model;
  bool from_file = false;
  std::optional<Source> source;    ///< when compiled on the fly,
  std::optional<lang::Rule> rule;  ///< and what it says

  /// Whether the rule declares its alphabet; of a file the rule that it names.
  bool closed(const automata::Limits& limits) const;
};
LoadedModel take_model(SourceArguments& arguments, CompileArguments& compile);

/// "-" is standard input. Throws IoError, also for what does not end within 2 GB.
std::string read_file(const std::string& path);

/// Likewise; who writes a rule where a file is expected is told how rules are written.
std::string read_rule(const std::string& path);

/// A word as it was typed, and where: "words.txt:3", or "" for an argument.
struct GivenWord {
  std::string text, place = {};

  /// Runs `work`; what it finds wrong with the word comes out with the place in front.
  template <class Work>
  auto diagnose(Work work) const {
    try {
      return work();
    } catch (const UserError& error) {
      if (place.empty()) throw;
      throw UserError(place + ": " + error.what());
    }
  }
};

/// Words from the arguments and from --input FILE (one per line; "-" is standard input).
std::vector<GivenWord> collect_words(const std::vector<std::string>& words, const std::string& input);
/// Their texts.
std::vector<std::string> texts_of(const std::vector<GivenWord>& words);

}  // namespace quench::cli
