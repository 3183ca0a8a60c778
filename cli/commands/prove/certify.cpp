// quench certify: up to which length a model is provably right, per number format; or what a length needs.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/text/utf8.h"
#include "certified/least_setting.h"
#include "cli/arguments/number_formats.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/certificates.h"
#include "cli/output/terminal.h"
#include "driver/compile_automaton.h"
#include "model/file.h"

namespace quench::cli {
namespace {

struct CertifyCommand {
  SourceArguments source;
  CompileArguments compile;
  FormatsArgument dtypes;
  std::uint64_t length = 0;
  std::string output;
  bool json = false;
};

std::string length_text(std::uint64_t length) {
  return length == certify::kLongest ? "no limit" : fmt::format("{}", length);
}

/// In narrow columns the name of a head has a line of its own, and its numbers stand below.
std::string head_text(const certify::HeadLine& line, std::size_t columns) {
  const std::string name = printable(line.name, kShownName);
  const std::string numbers =
      fmt::format("{:<8} gap {:<8.4g} score error {:<11.3e} bound {:.3e}", line.lemma.empty() ? "mean" : line.lemma,
                  line.gap, line.score_error, line.bound);
  const std::string beside = fmt::format("    {:<40} {}", name, numbers);
  if (display_width(beside) <= columns) return beside + "\n";
  return folded(fmt::format("    {}\n        {}\n", name, numbers), columns);
}

std::string report_text(const certify::Certificate& certificate, std::size_t columns) {
  std::string text;
  std::set<certify::Summation> summations;
  for (const certify::Entry& entry : certificate.entries) {
    const certify::Finding& finding = entry.finding;
    summations.insert(entry.summation);
    std::string line = fmt::format("{:<10}{:<16}n <= {:<18}", to_string(entry.format), to_string(entry.summation),
                                   length_text(finding.length));
    if (!finding.reason.empty())
      line += finding.limiting_head.empty()
                  ? finding.reason
                  : fmt::format("limited by {}: {}", printable(finding.limiting_head, kShownName), finding.reason);
    text += folded(line, columns);
    for (const certify::HeadLine& head : finding.heads) text += head_text(head, columns);
  }
  if (summations.size() > 1)
    for (const certify::Summation summation : summations)
      text += folded(fmt::format("{:<16}{}", to_string(summation), engines_that_sum(summation)), columns);
  return text;
}

void write(const CertifyCommand& command, model::Transformer model, const certify::Certificate& certificate) {
  if (command.output.empty()) return;
  if (command.output.ends_with(".safetensors")) {
    model.certificate = certify::to_json(certificate);
    model::save(model, command.output);
  } else {
    write_file(command.output, certify::to_json(certificate) + "\n");
  }
}

/// With -o - the certificate itself is what standard output is for.
void report(const CertifyCommand& command, const std::string& text) {
  if (command.output == "-") return;
  print(command.json ? with_written(text, files_of({command.output})) : text);
  if (!command.output.empty() && !command.json) print(written_text({command.output}));
}

bool is_made_for_a_length(const std::string& recipe) { return recipe.starts_with("exact") || recipe == "scan"; }

void answer_length(CertifyCommand& command, const LoadedModel& loaded) {
  const Source source =
      loaded.source ? *loaded.source : Source{"the model's source", loaded.model.source, {}, command.source.limits()};
  lower::RecipeOptions options = command.compile.options();
  if (loaded.from_file) options.recipe = loaded.model.recipe;
  const lang::Rule rule = source.diagnose([&] {
    return driver::settled(loaded.rule ? *loaded.rule : source.rule(), options, {source.limits, NumberFormat::f32});
  });
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::string text;
  std::optional<model::Transformer> picked;
  for (const NumberFormat format : command.dtypes.formats()) {
    const std::optional<certified::Setting> least =
        source.diagnose([&] { return certified::least_setting(rule, options, format, command.length); });
    if (least && !picked) picked = least->model;
    json.push_back({{"dtype", to_string(format)}, {"length", command.length}, {"gamma", nullptr}});
    if (least) {
      json.back()["recipe"] = least->model.recipe;
      if (least->gamma)
        json.back()["gamma"] = *least->gamma;
      else
        json.back().erase("gamma");
      json.back()["digits"] = least->digits;
      json.back()["summation"] = to_string(least->summation);
    }
    text += fmt::format("{:<10}", to_string(format));
    if (least)
      text += fmt::format(
          "{}{} certifies n <= {}{}\n",
          is_made_for_a_length(least->model.recipe)
              ? fmt::format("--recipe {} --length {}{}", least->model.recipe, command.length,
                            least->gamma ? fmt::format(" --gamma {}", *least->gamma) : "")
              : fmt::format("--gamma {}", *least->gamma),
          least->digits ? " --digits" : "", command.length,
          least->summation == certify::Summation::any ? "" : fmt::format(" in {}", engines_that_sum(least->summation)));
    else
      text += fmt::format("nothing certifies n <= {}{}\n", command.length,
                          options.recipe == "auto" ? "" : " by this recipe");
  }
  if (picked) write(command, *picked, certify::make_certificate(*picked, command.dtypes.formats()));
  if (!picked) command.output.clear();
  report(command, command.json ? nlohmann::ordered_json{{"settings", json}}.dump() + "\n" : text);
  if (!picked) throw NegativeFinding();
}

void run(CertifyCommand& command) {
  check_output(command.output, {"-o", "a certificate, or a model with it,", {".json", ".safetensors"}, true});
  const LoadedModel loaded = take_model(command.source, command.compile);
  if (command.length > 0) return answer_length(command, loaded);
  const certify::Certificate certificate = certify::make_certificate(loaded.model, command.dtypes.formats());
  write(command, loaded.model, certificate);
  report(command, command.json ? "{\"entries\":" + certify::entries_to_json(certificate) + "}\n"
                               : report_text(certificate, columns_of_output(kUnlimited)));
  for (const certify::Entry& entry : certificate.entries)
    if (entry.finding.length > 0) return;
  throw NegativeFinding();
}

}  // namespace

void add_certify(App& program) {
  App* app = program.add_subcommand("certify", "The length up to which a model is provably right");
  auto command = std::make_shared<CertifyCommand>();
  command->source.add_to(*app, "MODEL", "");
  command->compile.add_to(*app, LengthOption::its_own);
  command->dtypes.add_to(*app);
  app->add_option("--length", command->length, "Which gamma and format does this length need?")
      ->type_name("N")
      ->check(whole_number(1, certify::kLongest));
  app->add_option("-o,--output", command->output, "Write the certificate (.json), or the model with it (.safetensors)")
      ->type_name("FILE");
  app->add_flag("--json", command->json, "As JSON");
  app->describe_json(
      "`{\"entries\":[{\"dtype\",\"summation\",\"length\"|null,\"limiting_head\"|null,\"reason\",\"heads\":[{\"name\","
      "\"lemma\",\"gap\","
      "\"score_error\",\"bound\"}…]}…]}`: a length of null is that there is no limit, a head of null that no head is "
      "what limits it. "
      "With `--length` `{\"settings\":[{\"dtype\",\"length\",\"gamma\"|null,\"recipe\",\"digits\",\"summation\"}…]}`: "
      "a gamma of null is that "
      "nothing will do, and what follows is left out then; where the recipe is exact there is no gamma. With `-o` also "
      "`\"written\":[…]`, the file.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
