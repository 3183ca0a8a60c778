#include "mpi/lab_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace quench::mpi {

LabWork::LabWork(std::vector<std::string> names, std::string out, const lab::Settings& settings, bool force)
    : out_(std::move(out)), settings_(settings), force_(force) {
  for (const std::string& name : names) {
    const lab::Experiment* one = lab::find_experiment(name);
    if (!one && name != "all")
      throw UserError(fmt::format("there is no experiment '{}'; `quench lab list` shows them", name));
    for (const lab::Experiment& experiment : lab::experiments())
      if (!one || one == &experiment) experiments_.push_back(&experiment);
  }
  const auto takes_automata = [](const lab::Experiment* experiment) { return static_cast<bool>(experiment->input); };
  if (!settings_.automata.empty() && std::ranges::none_of(experiments_, takes_automata))
    throw UserError("--automata is for experiments that take automata: regular-atlas");
}

std::unique_ptr<LabWork> LabWork::from(const nlohmann::json& document) {
  lab::Settings settings;
  settings.quick = document.at("quick").get<bool>();
  settings.seed = document.at("seed").get<std::uint64_t>();
  settings.automata = document.at("automata").get<std::string>();
  return std::make_unique<LabWork>(document.at("lab").get<std::vector<std::string>>(),
                                   document.at("out").get<std::string>(), settings, document.at("force").get<bool>());
}

std::string LabWork::document() const {
  std::vector<std::string> names;
  for (const lab::Experiment* experiment : experiments_) names.push_back(experiment->name);
  return nlohmann::json{{"lab", names},
                        {"out", out_},
                        {"quick", settings_.quick},
                        {"seed", settings_.seed},
                        {"automata", settings_.automata},
                        {"force", force_}}
      .dump();
}

nlohmann::json LabWork::run(std::uint64_t piece) const {
  auto findings = nlohmann::json::array();
  for (const lab::Finding& finding : lab::run_experiment(*experiments_[piece], {settings_, out_, force_, {}}).findings)
    findings.push_back(fmt::format("{}: {}", lab::to_string(finding.verdict), finding.sentence));
  return findings;
}

}  // namespace quench::mpi
