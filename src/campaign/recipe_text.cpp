#include "campaign/recipe_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "automata/rule/read_rule.h"
#include "base/error.h"
#include "base/text/diagnostic.h"
#include "campaign/campaign.h"
#include "certified/compare_recipes.h"
#include "driver/compile.h"
#include "model/file/strict_json.h"

namespace quench::campaign {
namespace {

/// The options of one text, word by word.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text), words_(text) {}

  lower::RecipeOptions read() {
    lower::RecipeOptions options;
    if (!(words_ >> options.recipe) || options.recipe.starts_with("-")) wrong("it has no name");
    for (std::string word; words_ >> word;)
      if (word == "--decoder")
        options.decoder = true;
      else if (word == "--digits")
        options.digits = true;
      else if (word == "--unshared")
        options.unshared = true;
      else if (word == "--gamma")
        options.gamma = number<double>(word);
      else if (word == "--length")
        options.length = number<std::size_t>(word);
      else if (word == "--sharpen")
        options.sharpen = way();
      else
        wrong(
            fmt::format("there is no option {}; recipes take --decoder --digits --unshared --gamma G --length N "
                        "--sharpen WAY",
                        model::in_quotes(word)));
    return options;
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw UserError(fmt::format("recipe {}: {}", model::in_quotes(text_), what));
  }
  template <class Number>
  Number number(const std::string& option) {
    std::string word;
    words_ >> word;
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc() || end != word.data() + word.size())
      wrong(fmt::format("{} takes a number", option));
    return value;
  }
  lower::Sharpen way() {
    std::string word;
    words_ >> word;
    if (word == "temperature") return lower::Sharpen::temperature;
    if (word != "position") wrong("--sharpen is by temperature or by position");
    return lower::Sharpen::position;
  }

  const std::string& text_;
  std::istringstream words_;
};

std::vector<std::string> names_for(const lang::Rule& rule) {
  if (std::holds_alternative<lang::Automaton>(rule)) return {"auto", "scan"};
  return certified::recipes_for(rule);
}

/// That recipes of this kind cover whatever they are asked for, so that only options are in their way.
lang::Rule simplest(const lang::Rule& rule) {
  if (std::holds_alternative<lang::Formula>(rule)) return driver::parse("Q_a");
  if (std::holds_alternative<lang::Automaton>(rule)) return automata::read_rule("a", lang::AutomatonText::regex);
  const bool brasp = std::get<lang::Program>(rule).is_brasp();
  return driver::parse_program(brasp ? "alphabet {'a'}\nv(i) = Q_a(i)\n"
                                     : "alphabet {'a'}\nv(i) = #[k <= i] (Q_a(k)) > 1\n");
}

}  // namespace

lower::RecipeOptions recipe_options(const std::string& text) { return Reader(text).read(); }

std::vector<std::string> all_recipes(const lang::Rule& rule) {
  std::vector<std::string> result;
  for (const std::string& name : names_for(rule)) {
    result.push_back(name);
    if (const lower::Recipe* recipe = lower::find_recipe(name); recipe && recipe->tight)
      result.push_back(name + " --digits");
  }
  return result;
}

std::string objection(const std::string& recipe, const lang::Rule& rule) {
  const lower::RecipeOptions options = recipe_options(recipe);
  const std::vector<std::string> names = names_for(rule);
  if (std::ranges::find(names, options.recipe) == names.end())
    return fmt::format("rules of the kind {} have the recipes {}", kind_of(rule), fmt::join(names, " "));
  if (options.recipe == recipe) return "";
  try {
    driver::compile(simplest(rule), options);
  } catch (const DiagnosticError& error) {
    return error.what();
  }
  return "";
}

}  // namespace quench::campaign
