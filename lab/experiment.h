// An experiment: cases that measure (each gives rows of one table) and a report made from that table alone. So a run
// can stop between any two cases and go on later, and figures can be drawn again without measuring again.
//
// Everything that is not a time is determined by the settings: same seed, same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/report/figure.h"
#include "lab/report/table.h"

namespace quench::lab {

struct Settings {
  bool quick = false;      ///< a smaller grid: `run all --quick` takes minutes
  std::uint64_t seed = 1;  ///< of all random words, scores and weights
  std::string automata = {};  ///< a folder of automata files, for experiments that take one
};

/// A piece of work whose rows are kept once it is done.
struct Case {
  std::string name;  ///< unique within the experiment
  std::function<std::vector<Row>()> measure;
};

enum class Verdict : std::uint8_t { confirmed, refuted, measured };
std::string_view to_string(Verdict verdict);

/// One claim and what became of it, with its number.
struct Finding {
  Verdict verdict = Verdict::measured;
  std::string sentence;
};

struct Report {
  Figure figure;
  std::vector<Finding> findings;
  Table summary;        ///< what the page shows; the CSV has everything
  std::string remarks;  ///< a paragraph below the findings; may be empty
};

struct Experiment {
  std::string name;  ///< "gap-temperature"
  std::string title;
  std::string claim;                 ///< what the paper, or the summary of it, says
  std::string method;                ///< what is run and measured
  std::vector<std::string> columns;  ///< of its table
  std::function<std::vector<Case>(const Settings&)> cases;
  std::function<Report(const Table&, const Settings&)> report;
  /// What the results depend on besides quick and seed, for experiments that take a folder of automata: a hash, or "".
  std::function<std::string(const Settings&)> input = {};
  bool alone = false;  ///< measures time: one case at a time
  int version = 1;     ///< raise it when the measurement changes, so that older results are not taken for new ones
};

/// All of them, in the order of the list.
const std::vector<Experiment>& experiments();
const Experiment* find_experiment(std::string_view name);
/// The name most like this one, or "".
std::string nearest_experiment(std::string_view name);

}  // namespace quench::lab
