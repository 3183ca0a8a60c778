// quench soften: a hard-attention model as a soft one, with the temperature its own gap asks for (Theorem 26).
#include "soften/soften.h"

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "command.h"
#include "driver/compile.h"
#include "model/file.h"
#include "numbers.h"
#include "source.h"

namespace quench::cli {
namespace {

struct SoftenCommand {
  SourceArguments source;
  CompileArguments compile;
  std::string output, gap, constants = "ours";
  std::size_t length = 0;
  bool json = false;
};

/// The parts of a model that a construction's claims are about.
model::Transformer compared(model::Transformer model) {
  model.certificate.clear();
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads) {
      head.weighting = head.weighting == Weighting::soft ? head.intended : head.weighting;
      head.intended = head.weighting;
      head.temperature = Temperature::one;
    }
  return model;
}

/// Whether the compiler emits these weights for the model's own source: only then are its claims more than claims.
bool is_our_construction(const model::Transformer& model) {
  if (model.source.empty() || model.recipe.empty()) return false;
  lower::RecipeOptions options;
  options.recipe = model.recipe;
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads)
      if (head.claim.gamma > 0)
        options.gamma = head.claim.lemma == "Q-srasp" ? head.claim.gamma * 3 / 16 : head.claim.gamma;
  try {
    const lang::Rule rule = driver::parse_rule(model.source);
    return compared(driver::compile(rule, options).model) == compared(model);
  } catch (const DiagnosticError&) {
    return false;
  }
}

void run(SoftenCommand& command) {
  check_output(command.output);
  const LoadedModel loaded = take_model(command.source, command.compile);
  soften::Options options;
  options.route = soften::route_from(command.gap);
  if (command.length > 0) options.length = command.length;
  options.constants = command.constants == "paper" ? soften::Constants::paper : soften::Constants::ours;
  options.construction_confirmed = !loaded.from_file || is_our_construction(loaded.model);
  try {
    const soften::Softened softened = soften::soften(loaded.model, options);
    if (!command.output.empty()) model::save(softened.model, command.output);
    print(command.json ? soften::report_json(softened) + "\n" : soften::report_text(softened));
  } catch (const soften::Refusal& refusal) {
    say(fmt::format("refused: {}\n", refusal.what()));
    throw NegativeFinding();
  }
}

}  // namespace

void add_soften(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("soften", "Replace hard attention by softmax, at a temperature its gap allows");
  auto command = std::make_shared<SoftenCommand>();
  command->source.add_to(*app, "HARD-MODEL", "");
  command->compile.add_to(*app);
  app->add_option("-o,--output", command->output, "Write the soft model, with its certificate")->type_name("MODEL");
  app->add_option("--gap", command->gap,
                  "How the gap is established: proof, interval, exhaustive (default: the first "
                  "of these that succeeds)")
      ->check(one_of({"proof", "interval", "exhaustive"}))
      ->type_name("WAY");
  app->add_option("--length", command->length, "The length to be reached; default: as far as is cheap")
      ->transform(whole_number(1, 100'000))
      ->type_name("N");
  app->add_option("--constants", command->constants, "ours, from the model's own norms; paper: K1, K2 of Appendix D")
      ->check(one_of({"ours", "paper"}))
      ->type_name("WHICH")
      ->capture_default_str();
  app->add_flag("--json", command->json, "As JSON");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
