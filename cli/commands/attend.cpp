// quench attend: attention as a picture.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/shared/numbers.h"
#include "cli/shared/run_options.h"
#include "cli/shared/source.h"
#include "run/inspect/attention_view.h"
#include "run/inspect/trace.h"

namespace quench::cli {
namespace {

struct AttendCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::optional<std::size_t> layer, head;
  std::string svg;
  bool ascii = false;
};

/// The head asked for; by default the first that is not a plain mean (those show little).
run::HeadIndex choose(const AttendCommand& command, const model::Transformer& model) {
  if (model.head_count() == 0) throw UserError("this model has no attention heads to look at");
  std::optional<run::HeadIndex> fallback;
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h) {
      if ((command.layer && *command.layer != l) || (command.head && *command.head != h)) continue;
      if (model.layers[l].heads[h].claim.structure != HeadStructure::uniform) return {l, h};
      if (!fallback) fallback = {l, h};
    }
  if (fallback) return *fallback;
  const run::HeadIndex asked{command.layer.value_or(0), command.head.value_or(0)};
  run::require_head(asked, model);
  return asked;
}

void run(AttendCommand& command) {
  check_output(command.svg);
  const LoadedModel loaded = take_model(command.source, command.compile);
  const std::vector<std::string> words = command.source.take_rest();
  if (words.size() != 1) throw UserError("attend takes one word");
  const Alphabet& alphabet = loaded.model.alphabet;
  const run::AttentionView view =
      run::attention_view(loaded.model, alphabet.parse(words[0]), choose(command, loaded.model),
                          command.run.options(), alphabet.split(words[0]));
  if (!command.svg.empty()) return write_file(command.svg, to_svg(view));
  run::TerminalStyle style;
  style.ascii = command.ascii;
  print(to_terminal(view, style));
}

}  // namespace

void add_attend(App& program) {
  App* app = program.add_subcommand("attend", "Draw the attention of one head");
  auto command = std::make_shared<AttendCommand>();
  command->source.add_to(*app, "MODEL", "WORD");
  command->compile.add_to(*app);
  command->run.add_to(*app);
  app->add_option("--layer", command->layer, "Counted from 0")->type_name("L")->check(whole_number(0, 1'000'000));
  app->add_option("--head", command->head, "Counted from 0; without these, the first head that is not a mean")
      ->type_name("H")
      ->check(whole_number(0, 1'000'000));
  app->add_option("--svg", command->svg, "Write a picture to FILE instead")->type_name("FILE");
  app->add_flag("--ascii", command->ascii, "No Unicode shades");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
