// quench compile: a rule to a model, and the summary of what came out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/shared/certificates.h"
#include "cli/shared/source.h"
#include "driver/compile.h"
#include "lint/lint.h"
#include "model/file.h"

namespace quench::cli {
namespace {

struct CompileCommand {
  SourceArguments source;
  CompileArguments compile;
  std::string output, weighting = "soft";
  bool force = false, certify = false, json = false, no_lint = false;
};

std::vector<std::string> position_encodings(const model::Transformer& model) {
  std::vector<std::string> names;
  for (const model::PositionEncoding& pe : model.position_encodings) names.push_back(to_string(pe.formula));
  return names;
}

std::string summary_json(const model::Transformer& model, const std::optional<certify::Certificate>& certificate) {
  nlohmann::ordered_json json;
  json["logic"] = model.logic;
  json["recipe"] = model.recipe;
  json["kind"] = model.kind();
  json["layers"] = model.layers.size();
  json["heads"] = model.head_count();
  json["width"] = model.width;
  json["parameters"] = model.parameter_count();
  auto temperatures = nlohmann::ordered_json::array();
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads) temperatures.push_back(to_string(head.temperature));
  json["temperature"] = temperatures;
  json["position_encodings"] = position_encodings(model);
  const auto lengths = [&](std::string (*of)(const certify::Certificate&)) {
    return certificate ? nlohmann::ordered_json::parse(of(*certificate)) : nullptr;
  };
  json["certified"] = lengths(certified_json);
  json["certified_by_summation"] = lengths(certified_by_summation_json);
  return json.dump() + "\n";
}

std::size_t nonzero_parameters(const model::Transformer& model) {
  std::size_t count = model.embedding.nonzeros();
  for (const model::Layer& layer : model.layers) {
    for (const model::Head& head : layer.heads)
      count += head.q.nonzeros() + head.k.nonzeros() + head.v.nonzeros() + head.o.nonzeros();
    count += layer.ffn.w1.nonzeros() + layer.ffn.w2.nonzeros();
    for (const double b : layer.ffn.b1) count += b != 0;
    for (const double b : layer.ffn.b2) count += b != 0;
  }
  return count;
}

bool uniform_or_tieless(HeadStructure structure) {
  switch (structure) {
    case HeadStructure::uniform:
    case HeadStructure::tie_break:
    case HeadStructure::previous:
    case HeadStructure::lookup:
      return true;
    case HeadStructure::none:
    case HeadStructure::any:
    case HeadStructure::sign:
    case HeadStructure::sink:
    case HeadStructure::other:
      return false;
  }
  return false;
}

/// Uniform-tieless (Section 5): every head is uniform, or its scores have a unique maximum.
bool uniform_tieless(const model::Transformer& model) {
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads)
      if (!uniform_or_tieless(head.claim.structure.value())) return false;
  return true;
}

std::string summary_text(const model::Transformer& model, const lower::Recipe& recipe) {
  std::set<std::string> temperatures;
  std::set<std::string> masks;
  std::size_t hidden = 0;
  for (const model::Layer& layer : model.layers) {
    hidden += layer.ffn.b1.size();
    for (const model::Head& head : layer.heads) {
      temperatures.insert(std::string(to_string(head.temperature)));
      masks.insert(std::string(to_string(head.mask)));
    }
  }
  const auto list = [](const auto& items) {
    return items.empty() ? std::string("none") : fmt::format("{}", fmt::join(items, ", "));
  };
  std::string text;
  const auto line = [&](const char* key, const std::string& value) { text += fmt::format("{:<12}{}\n", key, value); };
  line("logic", model.logic);
  line("recipe", fmt::format("{} ({})", model.recipe, recipe.theorem));
  line("kind", model.kind() + (uniform_tieless(model) ? ", uniform-tieless" : ""));
  line("size", fmt::format("{} layers, {} heads, width {}, {} hidden units", model.layers.size(), model.head_count(),
                           model.width, hidden));
  line("parameters",
       fmt::format("{} ({} nonzero), the same for every length", model.parameter_count(), nonzero_parameters(model)));
  line("temperature", list(temperatures));
  line("masks", list(masks));
  line("positions", list(position_encodings(model)));
  return text;
}

/// A certificate of length 0 in every format would only make `run` refuse: the model is better off without one.
bool certifies_nothing(const certify::Certificate& certificate) {
  return std::all_of(certificate.entries.begin(), certificate.entries.end(),
                     [](const certify::Entry& entry) { return entry.finding.length == 0; });
}

/// The hard attention that each head's softmax stands for.
void make_hard(model::Transformer& model) {
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads)
      if (head.intended != Weighting::soft) head.weighting = head.intended;
}

void run(CompileCommand& command) {
  check_output(command.output);
  const Source source = command.source.take_source();
  const lang::Rule rule = source.rule();
  const driver::Compilation compilation =
      source.diagnose([&] { return driver::compile(rule, command.compile.options()); });
  model::Transformer model = compilation.model;
  if (command.weighting == "hard") make_hard(model);
  const bool saved = !command.output.empty();
  std::optional<certify::Certificate> certificate;
  std::string certified;  // for the summary
  if (command.certify || saved) {
    certificate = certify::make_certificate(model, certify::usual_formats());
    certified = certified_text(*certificate, std::string(12, ' '));
    if (certifies_nothing(*certificate)) {
      certified = "nothing yet: " + certificate->entries.front().finding.reason;
      certificate.reset();
    }
  }
  if (certificate) model.certificate = certify::to_json(*certificate);
  if (saved) model::save(model, command.output, command.force);
  // A pipe or a device has no file beside it.
  if (saved && certificate && std::filesystem::is_regular_file(command.output))
    write_file(certificate_path(command.output), model.certificate + "\n");
  print(command.json ? summary_json(model, certificate) : summary_text(model, *compilation.recipe));
  if (!certified.empty() && !command.json) print(fmt::format("{:<12}{}\n", "certified", certified));
  if (saved && !command.json) print(fmt::format("{:<12}{}\n", "written", command.output));
  const auto* formula = std::get_if<lang::Formula>(&rule);
  if (formula && !command.no_lint) say(render(lint::lint(*formula), source.text, source.name));
}

}  // namespace

void add_compile(App& program) {
  App* app = program.add_subcommand("compile", "Compile a rule into a transformer and print its summary");
  auto command = std::make_shared<CompileCommand>();
  command->source.add_to(*app, "SOURCE", "");
  command->compile.add_to(*app);
  app->add_option("-o,--output", command->output, "Write the model here (.safetensors)")->type_name("FILE");
  app->add_option("--weighting", command->weighting, "soft, or the hard attention each head stands for: a UHAT or AHAT")
      ->type_name("KIND")
      ->check(one_of({"soft", "hard"}))
      ->capture_default_str();
  app->add_flag("--force", command->force, "Write the file even above 2 GB");
  app->add_flag("--certify", command->certify, "Show up to which length it is provably right (always with -o)");
  app->add_flag("--json", command->json, "Summary as one JSON object");
  app->add_flag("--no-lint", command->no_lint, "No warnings about what the rule may not have been meant to say");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
