// The circuits benchmark as files: a folder per model, and beside them what says and scores what is in them.
//
//   MODEL/config.json, model.safetensors   the network, as `quench export --to transformer-lens` writes it
//   MODEL/circuit.json                     the true circuit, as `quench export --to circuit` writes it
//   MODEL/edges.json                       the same by heads and feed-forwards: all candidates, and which are true
//   MODEL/pairs.jsonl                      clean and corrupted words
//   MODEL/rule.tl (.brasp, .dfa, …)        the rule
//   index.json, README.md, circuit.schema.json, score.py, methods.py
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "circuits/entries.h"
#include "export/file_set.h"

namespace quench::circuits {

struct SetOptions {
  std::size_t pairs = 100;  ///< of each model, at most
  std::uint64_t seed = 1;
  /// Called after each model; throwing ends the work, and nothing is written.
  std::function<void(const std::string& name)> progress = {};
};

/// What index.json says of a model.
struct ModelSummary {
  std::string name, kind, recipe, why;
  std::size_t layers = 0, heads = 0, width = 0, hidden = 0;
  std::size_t candidates = 0;  ///< edges that could be there
  std::size_t real = 0;        ///< true edges
  std::size_t positions = 0;   ///< true edges from pos_embed, which is the same in both words of a pair
  std::size_t differing = 0;   ///< true edges that carry a difference in some pair
  std::size_t changing = 0;    ///< true edges whose patching alone changes some answer
  std::size_t pairs = 0;
  std::vector<std::size_t> classes;  ///< clean words by their label
};

struct CircuitSet {
  std::vector<ModelSummary> models;
  std::vector<exports::ExportedFile> files;  ///< names with their folder: "flip_flop/circuit.json"
};

/// The same arguments give the same bytes.
CircuitSet make_set(const std::vector<Entry>& chosen, const SetOptions& options);

/// Writes a new folder, whole or not at all. Throws IoError; also if the folder is there and not empty.
void write_set(const std::filesystem::path& folder, const CircuitSet& set);

/// Throws the IoError that write_set would end in now.
void require_new_folder(const std::filesystem::path& folder);

}  // namespace quench::circuits
