// quench compile: a rule to a model, and the summary of what came out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "certified/promise.h"
#include "cli/arguments/number_formats.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/certificates.h"
#include "cli/output/terminal.h"
#include "driver/compile.h"
#include "model/file.h"
#include "model/summary.h"

namespace quench::cli {
namespace {

struct CompileCommand {
  SourceArguments source;
  CompileArguments compile;
  std::string output, weighting = "soft", dtype = "f32";
  bool force = false, certify = false, json = false;
};

std::string summary_json(const driver::Compilation& compilation, const model::Transformer& model,
                         const std::optional<certify::Certificate>& certificate) {
  const model::Summary summary = model::summary(model);
  nlohmann::ordered_json json;
  json["logic"] = model.logic;
  json["recipe"] = model.recipe;
  json["kind"] = model.kind();
  json["layers"] = summary.layers;
  json["heads"] = summary.heads;
  json["width"] = summary.width;
  json["parameters"] = summary.parameters;
  json["temperature"] = summary.temperatures;
  json["position_encodings"] = summary.position_encodings;
  const auto lengths = [&](std::string (*of)(const certify::Certificate&)) {
    return certificate ? nlohmann::ordered_json::parse(of(*certificate)) : nullptr;
  };
  json["certified"] = lengths(certified_json);
  json["certified_by_summation"] = lengths(certified_by_summation_json);
  if (!compilation.formula.empty()) {
    json["strategy"] = compilation.strategy;
    json["formula"] = compilation.formula;
  }
  return json.dump() + "\n";
}

/// How an automaton became a formula; the lines of a long one stand below each other. Or why it did not.
std::string formula_lines(const driver::Compilation& compilation) {
  if (compilation.formula.empty())
    return compilation.strategy.empty() ? "" : fmt::format("{:<12}{}\n", "strategy", compilation.strategy);
  std::string text, indent = std::string(12, ' ');
  for (const char c : compilation.formula) text += c == '\n' ? "\n" + indent : std::string(1, c);
  text.resize(text.find_last_not_of(" \n") + 1);
  return fmt::format("{:<12}{}\n{:<12}{} (equal to the automaton on all words, by proof)\n", "formula", text,
                     "strategy", compilation.strategy.empty() ? "as the source has it" : compilation.strategy);
}

std::string counted(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string summary_text(const model::Transformer& model, const lower::Recipe& recipe, std::uint64_t longest) {
  const model::Summary summary = model::summary(model);
  const auto once = [](const std::vector<std::string>& items) {
    const std::set<std::string> found(items.begin(), items.end());
    return listed({found.begin(), found.end()});
  };
  std::string text;
  const auto line = [&](const char* key, const std::string& value) { text += fmt::format("{:<12}{}\n", key, value); };
  line("logic", model.logic);
  line("recipe", fmt::format("{} ({})", model.recipe, recipe.theorem));
  line("kind", model.kind() + (summary.uniform_tieless ? ", uniform-tieless" : ""));
  line("size", fmt::format("{}, {}, width {}, {}", counted(summary.layers, "layer"), counted(summary.heads, "head"),
                           summary.width, counted(summary.hidden_units, "hidden unit")));
  line("parameters",
       fmt::format("{} ({} nonzero), {}", summary.parameters, summary.nonzero_parameters,
                   recipe.exact ? fmt::format("for words up to length {}", longest) : "the same for every length"));
  line("temperature", once(summary.temperatures));
  line("masks", once(summary.masks));
  line("positions", listed(summary.position_encodings));
  return text;
}

/// Why this recipe: what else is not certified up to the length that was asked for.
std::string choice_text(const certified::ForLength& made, const std::string& format, bool asked_for_digits) {
  std::string text;
  if (!made.compilation.choice.empty()) text += fmt::format("{:<12}{}\n", "chosen", made.compilation.choice);
  if (made.options.digits && !asked_for_digits)
    text += fmt::format("{:<12}with --digits: numbers in parts that half formats hold\n", text.empty() ? "chosen" : "");
  for (const certified::TooShort& other : made.too_short)
    text += fmt::format("{:<12}{} is certified up to {} in {}{}\n", text.empty() ? "chosen" : "", other.recipe,
                        other.length, format, other.limiting_head.empty() ? "" : ": " + other.limiting_head);
  return text;
}

/// Those that every model is certified in, and the one that was asked for.
std::vector<NumberFormat> formats_with(NumberFormat asked) {
  std::vector<NumberFormat> formats = certify::usual_formats();
  if (std::find(formats.begin(), formats.end(), asked) == formats.end()) formats.push_back(asked);
  return formats;
}

/// The hard attention that each head's softmax stands for.
void make_hard(model::Transformer& model) {
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads)
      if (head.intended != Weighting::soft) head.weighting = head.intended;
}

void run(CompileCommand& command) {
  check_output(command.output, model_output());
  const Source source = command.source.take_source();
  command.compile.choose_in(*number_format_from(command.dtype));
  const lang::Rule rule = source.read();
  const certified::ForLength made = command.compile.compile(source, rule);
  const driver::Compilation& compilation = made.compilation;
  const std::uint64_t longest = std::uint64_t{1} << lower::tuning(*compilation.recipe, made.options).length_bits;
  model::Transformer model = compilation.model;
  if (command.weighting == "hard") make_hard(model);
  const bool saved = !command.output.empty();
  std::optional<certify::Certificate> certificate;
  std::string certified;  // for the summary
  bool embedded = false;  // in the model, and beside it
  if (command.certify || saved) {
    certificate = certify::make_certificate(model, formats_with(*number_format_from(command.dtype)));
    certified = certified_text(*certificate, std::string(12, ' '));
    if (certified::promises_nothing(*certificate)) {
      certified = "nothing yet: " + certificate->entries.front().finding.reason;
    } else {
      embedded = true;
    }
  }
  if (embedded) model.certificate = certify::to_json(*certificate);
  if (saved) model::save(model, command.output, command.force);
  std::vector<std::string> written{command.output};
  // A pipe or a device has no file beside it.
  if (saved && embedded && std::filesystem::is_regular_file(command.output)) {
    written.push_back(certificate_path(command.output));
    write_file(written.back(), model.certificate + "\n");
  }
  print(command.json ? with_written(summary_json(compilation, model, certificate), files_of(written))
                     : formula_lines(compilation) + summary_text(model, *compilation.recipe, longest) +
                           choice_text(made, command.dtype, command.compile.options().digits));
  if (!certified.empty() && !command.json) print(fmt::format("{:<12}{}\n", "certified", certified));
  if (saved && !command.json) print(written_text(written));
}

}  // namespace

void add_compile(App& program) {
  App* app = program.add_subcommand("compile", "Compile a rule into a transformer and print its summary");
  auto command = std::make_shared<CompileCommand>();
  command->source.add_to(*app, "SOURCE", "");
  command->compile.add_to(*app);
  app->add_option("--dtype", command->dtype,
                  "The number format in which --length is to be certified, and in which the formula of an automaton is "
                  "to reach furthest")
      ->check(number_format_name())
      ->type_name("FORMAT")
      ->capture_default_str();
  app->add_option("-o,--output", command->output, "Write the model here (.safetensors), and its certificate beside it")
      ->type_name("FILE");
  app->add_option("--weighting", command->weighting, "soft, or the hard attention each head stands for: a UHAT or AHAT")
      ->type_name("KIND")
      ->check(one_of({"soft", "hard"}))
      ->capture_default_str();
  app->add_flag("--force", command->force, "Write the file even above 2 GB");
  app->add_flag("--certify", command->certify, "Show up to which length it is provably right (always with -o)");
  app->add_flag("--json", command->json, "Summary as one JSON object");
  app->describe_json(
      "`{\"logic\",\"recipe\",\"kind\",\"layers\",\"heads\",\"width\",\"parameters\",\"temperature\":[…per head],"
      "\"position_encodings\":[…],\"certified\":{\"f32\":N,…}|null,\"certified_by_summation\":{\"f32\":{\"any\":N,"
      "\"normalise-last\":N,\"exact-count\":N},…}|null}`: `certified` has the lengths that hold in any engine (those "
      "of `any`), "
      "the other field also those of engines that sum in a certain way (docs/certificates.md); both are null if no "
      "certificate "
      "was asked for, by `--certify` or `-o`. For regular expressions and automata also `\"strategy\",\"formula\"`. A "
      "length of 0 is that nothing is certified, a length of null that there is no limit. With `-o` also "
      "`\"written\":[…]`, the "
      "files.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
