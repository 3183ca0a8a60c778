// quench soften: a hard-attention model as a soft one, with the temperature its own gap asks for (Theorem 26).
#include "soften/soften.h"

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "certified/origin.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "model/file.h"

namespace quench::cli {
namespace {

struct SoftenCommand {
  SourceArguments source;
  CompileArguments compile;
  std::string output, gap, constants = "ours";
  std::size_t length = 0;
  bool json = false;
};

void run(SoftenCommand& command) {
  check_output(command.output, model_output());
  const LoadedModel loaded = take_model(command.source, command.compile);
  soften::Options options;
  options.route = soften::route_from(command.gap);
  if (command.length > 0) options.length = command.length;
  options.constants = command.constants == "paper" ? soften::Constants::paper : soften::Constants::ours;
  options.construction_confirmed =
      !loaded.from_file || certified::origin_of(loaded.model, certified::Alike::construction).compiled();
  try {
    const soften::Softened softened = soften::soften(loaded.model, options);
    if (!command.output.empty()) model::save(softened.model, command.output);
    print(command.json ? with_written(soften::report_json(softened) + "\n", files_of({command.output}))
                       : soften::report_text(softened));
    if (!command.output.empty() && !command.json) print(written_text({command.output}));
  } catch (const soften::Refusal& refusal) {
    say(fmt::format("refused: {}\n", refusal.what()));
    throw NegativeFinding{refusal.what()};
  }
}

}  // namespace

void add_soften(App& program) {
  App* app = program.add_subcommand("soften", "Replace hard attention by softmax, at a temperature its gap allows");
  auto command = std::make_shared<SoftenCommand>();
  command->source.add_to(*app, "HARD-MODEL", "");
  command->compile.add_to(*app, LengthOption::its_own);
  app->add_option("-o,--output", command->output, "Write the soft model, with its certificate (.safetensors)")
      ->type_name("FILE");
  app->add_option("--gap", command->gap,
                  "How the gap is established: proof, interval, exhaustive (default: the first "
                  "of these that succeeds)")
      ->check(one_of({"proof", "interval", "exhaustive"}))
      ->type_name("WAY");
  app->add_option("--length", command->length, "The length to be reached; default: as far as is cheap")
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  app->add_option("--constants", command->constants, "ours, from the model's own norms; paper: K1, K2 of Appendix D")
      ->check(one_of({"ours", "paper"}))
      ->type_name("WHICH")
      ->capture_default_str();
  app->add_flag("--json", command->json, "As JSON");
  app->describe_json(
      "`{\"route\",\"length\",\"temperature\",\"scale\",\"tie_breaks\",\"rounded\",\"output_error\",\"lengths\":[{"
      "\"n\",\"gap\"|null,"
      "\"x_max\",\"inverse_tau\",\"needed\",\"paper\"|null}…],\"layers\":[{\"error_in\",\"error_out\",\"heads\":[{"
      "\"kind\",\"gap\"|null,"
      "\"score_error\",\"distance\"}…]}…]}`: a null is infinite; `paper` is left out where the paper's constants do "
      "not apply. With `-o` also `\"written\":[…]`, the file.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
