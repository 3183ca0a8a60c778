// quench trace: every named coordinate after every sublayer, with ablation and patching.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/arguments/run_options.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/lint.h"
#include "cli/output/terminal.h"
#include "run/inspect/trace.h"

namespace quench::cli {
namespace {

struct TraceCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  std::vector<std::string> ablate, patch;
  std::string output;
  WordLint lint;
  bool json = false;
};

void run(TraceCommand& command) {
  check_output(command.output, {"-o", "a trace", {".json"}, true});
  command.compile.choose_in(command.run.options().format);
  const LoadedModel loaded = take_model(command.source, command.compile);
  const std::vector<std::string> words = command.source.take_rest();
  if (words.size() != 1)
    throw UserError(fmt::format("trace takes one WORD after the MODEL; {} are given", words.size()));
  run::TraceOptions options;
  options.run = command.run.options();
  for (const std::string& head : command.ablate) options.ablated.push_back(run::parse_head(head, loaded.model));
  for (const std::string& patch : command.patch) options.patches.push_back(run::parse_patch(patch, loaded.model));
  const Alphabet& alphabet = loaded.model.alphabet;
  look_at(command.lint, command.source, loaded, {{words[0]}});
  const run::Trace trace = run::trace(loaded.model, alphabet.parse(words[0]), options, alphabet.split(words[0]));
  if (command.output.empty())
    return print(command.json ? to_json(trace) + "\n" : to_text(trace, columns_of_output(110)));
  write_file(command.output, to_json(trace) + "\n");
  const std::vector<std::string> written = files_of({command.output});
  if (!written.empty()) print(command.json ? with_written("{}", written) : written_text(written));
}

}  // namespace

void add_trace(App& program) {
  App* app = program.add_subcommand("trace", "Show every named coordinate after every sublayer");
  auto command = std::make_shared<TraceCommand>();
  command->source.add_to(*app, "MODEL", "WORD");
  command->compile.add_to(*app);
  command->run.add_to(*app);
  app->add_option("--ablate", command->ablate, "Switch a head off: layer.head, counted from 0; repeatable")
      ->type_name("L.H")
      ->allow_extra_args(false);
  app->add_option("--patch", command->patch, "Overwrite a coordinate: name=value@position; repeatable")
      ->type_name("C=V@P")
      ->allow_extra_args(false);
  app->add_option("-o,--output", command->output, "Write the trace as JSON to FILE")->type_name("FILE");
  command->lint.add_to(*app);
  app->add_flag("--json", command->json, "JSON instead of a table");
  app->describe_json(
      "`{\"word\",\"symbols\":[…],\"dtype\",\"hard\",\"ablated\":[{\"layer\",\"head\"}…],\"patched\":[{\"coordinate\","
      "\"value\","
      "\"position\"}…],"
      "\"steps\":[{\"sublayer\",\"title\",\"coordinates\":[{\"name\",\"coordinate\",\"boolean\",\"raw\":[…],"
      "\"rounded\":[0/1…]|null,"
      "\"distance\"|null}…]}…],\"outputs\":[…]}`: `rounded` and `distance` are null for coordinates that are not "
      "Boolean; a number that is infinite or none is the text `\"Infinity\"`, `\"-Infinity\"` or `\"NaN\"`. With `-o` "
      "the "
      "file has this, and what is printed is `{\"written\":[…]}`.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
