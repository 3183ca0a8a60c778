#include "lab/session.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "model/file/sha256.h"
#include "model/file/strict_json.h"

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

/// What results depend on: results with another fingerprint are other results.
ordered_json fingerprint(const Experiment& experiment, const Settings& settings) {
  ordered_json all{{"experiment", experiment.name},
                   {"version", experiment.version},
                   {"quick", settings.quick},
                   {"seed", settings.seed}};
  if (const std::string input = experiment.input ? experiment.input(settings) : ""; !input.empty()) all["input"] = input;
  return all;
}

/// A JSON object, or nothing if the text is damaged.
std::optional<nlohmann::json> read_object(std::string_view text) {
  try {
    nlohmann::json json = model::parse_strict_json(text, "the file");
    if (json.is_object()) return json;
  } catch (const IoError&) {
  }
  return std::nullopt;
}

/// What NAME.json says of finished results.
struct Finished {
  nlohmann::json made_with;
  std::string title;
  std::vector<Finding> findings;
};

Finding finding_of(const nlohmann::json& json) {
  const auto verdict = json.at("verdict").get<std::string>();
  for (const Verdict known : {Verdict::confirmed, Verdict::refuted, Verdict::measured})
    if (verdict == to_string(known)) return {known, json.at("sentence").get<std::string>()};
  throw IoError("unknown verdict " + verdict);
}

/// Nothing if the file is missing, or not as finish() writes it.
std::optional<Finished> read_finished(const fs::path& path) {
  const auto text = read(path);
  const auto json = text ? read_object(*text) : std::nullopt;
  if (!json) return std::nullopt;
  try {
    Finished finished{json->at("made_with"), json->at("title").get<std::string>(), {}};
    for (const nlohmann::json& finding : json->at("findings")) finished.findings.push_back(finding_of(finding));
    return finished;
  } catch (const nlohmann::json::exception&) {
  } catch (const IoError&) {
  }
  return std::nullopt;
}

class Session {
 public:
  Session(const Experiment& experiment, const SessionOptions& options)
      : experiment_(experiment),
        options_(options),
        fingerprint_(fingerprint(experiment, options.settings)),
        cases_(experiment.cases(options.settings)),
        results_(cases_.size()),
        done_(cases_.size()) {}

  Outcome run() {
    Outcome outcome;
    if (!options_.force) {
      if (const auto finished = finished_results()) {
        outcome.findings = finished->findings;
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

  std::optional<Finished> finished_results() const {
    for (const char* extension : {".csv", ".svg", ".html", ".md"})
      if (!fs::exists(file(extension))) return std::nullopt;
    auto finished = read_finished(file(".json"));
    const nlohmann::json wanted = fingerprint_;
    if (finished && finished->made_with == wanted) return finished;
    return std::nullopt;
  }

  /// Rows of cases that an unfinished run with the same settings left.
  std::size_t take_over() {
    const std::string journal = read(file(".part")).value_or("");
    const std::size_t line = journal.find('\n');
    if (line == std::string::npos) return 0;
    const std::string rows = journal.substr(line + 1);
    if (read_object(journal.substr(0, line)) != journal_head(rows)) return 0;
    std::size_t taken = 0;
    try {
      std::map<std::string, std::vector<Row>> by_case;
      const Table table = from_csv(rows);
      if (table.columns != journal_columns()) return 0;
      for (const Row& row : table.rows) {
        auto& of_case = by_case[row.front()];
        if (row.size() > 1 && row[1] != "done") of_case.emplace_back(row.begin() + 2, row.end());
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

  /// The journal's first line: what its rows were measured with, and a hash that ties it to them. In a file of its own it
  /// could outlive them and vouch for others.
  nlohmann::json journal_head(const std::string& rows) const {
    model::Sha256 hash;
    hash.add(rows.data(), rows.size());
    return {{"made_with", fingerprint_}, {"rows", hash.finish()}};
  }
  /// Then every row with the name of its case; each case has a line that says it is done.
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
    const std::string rows = to_csv(journal);
    write_whole_file(file(".part"), journal_head(rows).dump() + "\n" + rows);
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
    json["made_with"] = fingerprint_;
    json["title"] = experiment_.title;
    json["findings"] = ordered_json::array();
    for (const Finding& finding : report.findings)
      json["findings"].push_back({{"verdict", to_string(finding.verdict)}, {"sentence", finding.sentence}});
    std::error_code ignored;
    fs::remove(file(".json"), ignored);  // so that a half-replaced set is never taken for a finished one
    write_whole_file(file(".csv"), to_csv(table));
    write_whole_file(file(".svg"), to_svg(report.figure));
    write_whole_file(file(".html"), to_html(experiment_, report, options_.settings));
    write_whole_file(file(".md"), to_markdown(experiment_, report, options_.settings));
    write_whole_file(file(".json"), json.dump(1) + "\n");
    fs::remove(file(".part"), ignored);
    return report.findings;
  }

  const Experiment& experiment_;
  const SessionOptions& options_;
  const ordered_json fingerprint_;
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
  require_writable(out / "index.html");
}

Outcome run_experiment(const Experiment& experiment, const SessionOptions& options) {
  prepare_directory(options.out);
  return Session(experiment, options).run();
}

void write_index(const fs::path& out) {
  std::vector<IndexEntry> entries;
  for (const Experiment& experiment : experiments())
    if (const auto finished = read_finished(out / (experiment.name + ".json")))
      entries.push_back({experiment.name, finished->title, finished->findings});
  write_whole_file(out / "index.html", index_html(entries));
  write_whole_file(out / "index.md", index_markdown(entries));
}

}  // namespace quench::lab
