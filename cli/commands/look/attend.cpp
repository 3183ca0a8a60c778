// quench attend: attention as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/run_options.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/lint.h"
#include "cli/output/terminal.h"
#include "model/file/strict_json.h"
#include "run/inspect/attention_grid.h"
#include "run/inspect/trace.h"

namespace quench::cli {
namespace {

struct AttendCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::optional<std::size_t> layer;
  std::optional<std::string> head;  ///< "2", or with its layer "1.2"
  std::string svg;
  WordLint lint;
  bool ascii = false, json = false;
};

constexpr std::size_t kLabel = 15;  ///< columns that the label of a row may take

/// A whole number, or two with a dot between them.
std::string look_at_head(const std::string& typed) {
  const std::size_t dot = std::min(typed.find('.'), typed.size());
  const bool one = read_whole(typed.substr(0, dot)).has_value();
  if (one && (dot == typed.size() || read_whole(typed.substr(dot + 1)))) return "";
  return model::in_quotes(typed) + " is not a head: write H, or L.H with its layer, both counted from 0, as in 0.1";
}

/// Those asked for; all, if none is.
std::vector<run::HeadIndex> choose(const AttendCommand& command, const model::Transformer& model) {
  if (model.head_count() == 0) throw UserError("this model has no attention heads to look at");
  std::optional<std::size_t> layer = command.layer, head;
  if (command.head) {
    const std::size_t dot = command.head->find('.');
    head = read_whole(command.head->substr(dot == std::string::npos ? 0 : dot + 1));
    if (dot != std::string::npos && layer)
      throw UserError(fmt::format("--head {} names a layer, and so does --layer; give one of them", *command.head));
    if (dot != std::string::npos) layer = read_whole(command.head->substr(0, dot));
  }
  std::vector<run::HeadIndex> heads;
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h)
      if (layer.value_or(l) == l && head.value_or(h) == h) heads.push_back({l, h});
  if (heads.empty()) run::require_head({layer.value_or(0), head.value_or(0)}, model);
  return heads;
}

void run(AttendCommand& command) {
  check_output(command.svg, {"--svg", "a picture", {".svg"}, true});
  command.compile.choose_in(command.run.options().format);
  const LoadedModel loaded = take_model(command.source, command.compile);
  const std::vector<std::string> words = command.source.take_rest();
  if (words.size() != 1)
    throw UserError(fmt::format("attend takes one WORD after the MODEL; {} are given", words.size()));
  if (command.json && !command.svg.empty()) throw UserError("--json prints numbers and --svg draws; give one of them");
  const Alphabet& alphabet = loaded.model.alphabet;
  look_at(command.lint, command.source, loaded, {{words[0]}});
  const std::vector<run::AttentionView> views =
      run::attention_views(loaded.model, alphabet.parse(words[0]), choose(command, loaded.model), command.run.options(),
                           alphabet.split(words[0]));
  if (command.json) return print(to_json(words[0], views) + "\n");
  if (!command.svg.empty()) {
    write_file(command.svg, views.size() == 1 ? to_svg(views[0]) : to_svg(views));
    return print(written_text(files_of({command.svg})));
  }
  run::TerminalStyle style;
  style.ascii = command.ascii;
  style.largest = std::max<std::size_t>((columns_of_output(2 * style.largest + kLabel) - kLabel) / 2, 1);
  print(to_terminal(views, style));
}

}  // namespace

void add_attend(App& program) {
  App* app = program.add_subcommand("attend", "Draw the attention of the heads");
  auto command = std::make_shared<AttendCommand>();
  command->source.add_to(*app, "MODEL", "WORD");
  command->compile.add_to(*app);
  command->run.add_to(*app);
  app->add_option("--layer", command->layer, "Counted from 0")->type_name("L")->check(whole_number(0, 1'000'000));
  app->add_option("--head", command->head,
                  "Counted from 0; L.H is a head of layer L; without these, all heads in one picture")
      ->type_name("H|L.H")
      ->check(look_at_head);
  app->add_option("--svg", command->svg, "Write a picture to FILE instead")->type_name("FILE");
  command->lint.add_to(*app);
  app->add_flag("--ascii", command->ascii, "No Unicode shades");
  app->add_flag("--json", command->json, "The weights as one JSON object");
  app->describe_json(
      "`{\"word\",\"symbols\":[…],\"dtype\",\"heads\":[{\"layer\",\"head\",\"name\",\"mask\",\"temperature\","
      "\"weighting\","
      "\"weights\":[[…]…]}…]}`, a row of weights per query, null where the mask hides the key; a weight that is no "
      "number is the text `\"NaN\"`.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
