#include "lab/session.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/error.h"

namespace quench::lab {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

std::optional<std::string> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void write(const fs::path& path, const std::string& content) {
  const fs::path temporary = path.string() + ".tmp";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  std::error_code error;
  if (file) fs::rename(temporary, path, error);
  if (!file || error) {
    fs::remove(temporary, error);
    throw IoError(path.string() + ": cannot write it");
  }
}

/// What results depend on: results with another fingerprint are other results.
ordered_json fingerprint(const Experiment& experiment, const Settings& settings) {
  return {{"experiment", experiment.name},
          {"version", experiment.version},
          {"quick", settings.quick},
          {"seed", settings.seed}};
}

/// NAME.json, or nothing if it is missing or unreadable.
std::optional<ordered_json> read_json(const fs::path& path) {
  const auto text = read(path);
  if (!text) return std::nullopt;
  ordered_json json = ordered_json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

std::vector<Finding> findings_of(const ordered_json& json) {
  std::vector<Finding> findings;
  for (const auto& entry : json.value("findings", ordered_json::array())) {
    const std::string verdict = entry.value("verdict", "");
    findings.push_back({verdict == "confirmed" ? Verdict::confirmed
                        : verdict == "refuted" ? Verdict::refuted
                                               : Verdict::measured,
                        entry.value("sentence", "")});
  }
  return findings;
}

class Session {
 public:
  Session(const Experiment& experiment, const SessionOptions& options)
      : experiment_(experiment),
        options_(options),
        cases_(experiment.cases(options.settings)),
        results_(cases_.size()),
        done_(cases_.size()) {}

  Outcome run() {
    Outcome outcome;
    if (!options_.force) {
      if (const auto finished = finished_results()) {
        outcome.findings = findings_of(*finished);
        return outcome;
      }
      outcome.resumed = take_over();
    }
    measure();
    outcome.measured = true;
    outcome.findings = finish();
    return outcome;
  }

 private:
  fs::path file(const std::string& extension) const { return options_.out / (experiment_.name + extension); }

  std::optional<ordered_json> finished_results() const {
    for (const char* extension : {".csv", ".svg", ".html", ".md"})
      if (!fs::exists(file(extension))) return std::nullopt;
    auto json = read_json(file(".json"));
    if (!json || (*json)["made_with"] != fingerprint(experiment_, options_.settings)) return std::nullopt;
    return json;
  }

  /// Rows of cases that an unfinished run with the same settings left.
  std::size_t take_over() {
    const auto json = read_json(file(".part.json"));
    const auto csv = read(file(".part.csv"));
    if (!json || !csv || *json != fingerprint(experiment_, options_.settings)) return 0;
    std::size_t taken = 0;
    try {
      std::map<std::string, std::vector<Row>> by_case;
      const Table table = from_csv(*csv);
      if (table.columns != journal_columns()) return 0;
      for (const Row& row : table.rows) {
        auto& rows = by_case[row.front()];
        if (row.size() > 1 && row[1] != "done") rows.emplace_back(row.begin() + 2, row.end());
      }
      for (std::size_t c = 0; c < cases_.size(); ++c) {
        const auto found = by_case.find(cases_[c].name);
        if (found == by_case.end()) continue;
        results_[c] = found->second;
        done_[c] = true;
        ++taken;
      }
    } catch (const IoError&) {
      return 0;  // damaged: measure again
    }
    return taken;
  }

  /// The journal: every row with the name of its case; a case without rows has a line that says it is done.
  std::vector<std::string> journal_columns() const {
    std::vector<std::string> columns = {"case", "state"};
    columns.insert(columns.end(), experiment_.columns.begin(), experiment_.columns.end());
    return columns;
  }
  void write_journal() const {
    Table journal(journal_columns());
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      if (!done_[c]) continue;
      Row mark(journal.columns.size());
      mark[0] = cases_[c].name;
      mark[1] = "done";
      journal.rows.push_back(mark);
      for (const Row& row : results_[c]) {
        Row line = {cases_[c].name, "row"};
        line.insert(line.end(), row.begin(), row.end());
        journal.rows.push_back(std::move(line));
      }
    }
    write(file(".part.csv"), to_csv(journal));
    write(file(".part.json"), fingerprint(experiment_, options_.settings).dump() + "\n");
  }

  void measure_case(std::size_t c) {
    std::vector<Row> rows = cases_[c].measure();
    for (const Row& row : rows) QUENCH_ASSERT(row.size() == experiment_.columns.size());
    const std::lock_guard lock(mutex_);
    results_[c] = std::move(rows);
    done_[c] = true;
    ++count_;
    write_journal();
    if (options_.progress) options_.progress(count_, cases_.size());
  }

  void measure() {
    std::vector<std::size_t> open;
    for (std::size_t c = 0; c < cases_.size(); ++c)
      if (done_[c])
        ++count_;
      else
        open.push_back(c);
    if (experiment_.alone) {
      for (const std::size_t c : open) measure_case(c);
    } else {
      tbb::parallel_for(
          std::size_t{0}, open.size(), [&](std::size_t k) { measure_case(open[k]); }, tbb::simple_partitioner());
    }
  }

  std::vector<Finding> finish() {
    Table table(experiment_.columns);
    for (const auto& rows : results_) table.rows.insert(table.rows.end(), rows.begin(), rows.end());
    const Report report = experiment_.report(table, options_.settings);
    ordered_json json;
    json["made_with"] = fingerprint(experiment_, options_.settings);
    json["title"] = experiment_.title;
    json["findings"] = ordered_json::array();
    for (const Finding& finding : report.findings)
      json["findings"].push_back({{"verdict", to_string(finding.verdict)}, {"sentence", finding.sentence}});
    std::error_code ignored;
    fs::remove(file(".json"), ignored);  // so that a half-replaced set is never taken for a finished one
    write(file(".csv"), to_csv(table));
    write(file(".svg"), to_svg(report.figure));
    write(file(".html"), to_html(experiment_, report, options_.settings));
    write(file(".md"), to_markdown(experiment_, report, options_.settings));
    write(file(".json"), json.dump(1) + "\n");
    fs::remove(file(".part.csv"), ignored);
    fs::remove(file(".part.json"), ignored);
    return report.findings;
  }

  const Experiment& experiment_;
  const SessionOptions& options_;
  std::vector<Case> cases_;
  std::vector<std::vector<Row>> results_;
  std::vector<bool> done_;
  std::size_t count_ = 0;
  std::mutex mutex_;
};

}  // namespace

void prepare_directory(const fs::path& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error || !fs::is_directory(out)) throw IoError(out.string() + ": cannot make this directory");
  const fs::path probe = out / ".quench-lab-probe";
  const bool writable = static_cast<bool>(std::ofstream(probe) << "x" << std::flush);
  fs::remove(probe, error);
  if (!writable) throw IoError(out.string() + ": cannot write into this directory");
}

Outcome run_experiment(const Experiment& experiment, const SessionOptions& options) {
  prepare_directory(options.out);
  return Session(experiment, options).run();
}

void write_index(const fs::path& out) {
  std::vector<IndexEntry> entries;
  for (const Experiment& experiment : experiments())
    if (const auto json = read_json(out / (experiment.name + ".json")))
      entries.push_back({experiment.name, json->value("title", experiment.title), findings_of(*json)});
  write(out / "index.html", index_html(entries));
  write(out / "index.md", index_markdown(entries));
}

}  // namespace quench::lab
