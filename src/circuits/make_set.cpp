#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "circuits/evidence.h"
#include "circuits/readme.h"
#include "circuits/set_texts.h"
#include "circuits/write_set.h"
#include "driver/compile.h"
#include "export/circuit.h"
#include "export/readout.h"
#include "export/transformer_lens.h"

namespace quench::circuits {
namespace {

using Json = nlohmann::ordered_json;

/// The number of an answer among the labels of the checkpoint: what no case puts out is the last of them.
std::size_t label_of(std::int64_t answer, const exports::Readout& readout) {
  return answer >= 0 ? static_cast<std::size_t>(answer) : readout.labels.size() - 1;
}

std::vector<std::size_t> tokens_of(const Word& word, const model::Transformer& model) {
  std::vector<std::size_t> tokens;
  for (const Symbol symbol : word)
    tokens.push_back(symbol == kUnmentioned ? model.alphabet.size() : static_cast<std::size_t>(symbol));
  return tokens;
}

std::string pair_lines(const std::vector<WordPair>& of_rule, const std::vector<WordPair>& of_model,
                       const Alphabet& alphabet, const model::Transformer& model, const exports::Readout& readout) {
  std::string text;
  for (std::size_t p = 0; p < of_rule.size(); ++p) {
    const WordPair& pair = of_model[p];
    Json line{{"clean", alphabet.print(of_rule[p].clean)},
              {"corrupted", alphabet.print(of_rule[p].corrupted)},
              {"clean_tokens", tokens_of(pair.clean, model)},
              {"corrupted_tokens", tokens_of(pair.corrupted, model)},
              {"clean_label", label_of(pair.clean_answer, readout)},
              {"corrupted_label", label_of(pair.corrupted_answer, readout)}};
    text += line.dump() + "\n";
  }
  return text;
}

std::string edges_json(const Graph& graph, const std::vector<EdgeEvidence>& evidence, std::size_t pairs) {
  // One edge to a line, so that people can read it.
  std::string lines;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const Edge& edge = graph.edges[e];
    const Json one{{"edge", graph.name(edge)},
                   {"true", edge.real},
                   {"constant", edge.constant},
                   {"differs", evidence[e].differs},
                   {"changes", evidence[e].changes}};
    lines += (lines.empty() ? "" : ",\n") + ("  " + one.dump());
  }
  return fmt::format(
      "{{\n \"format\": \"quench-edges\",\n \"version\": 1,\n \"pairs\": {},\n \"edges\": [\n{}\n ]\n}}\n", pairs,
      lines);
}

ModelSummary summary_of(const Entry& entry, const model::Transformer& model, const Graph& graph,
                        const std::vector<EdgeEvidence>& evidence) {
  ModelSummary summary;
  summary.name = entry.name();
  summary.kind = entry.kind();
  summary.recipe = model.recipe;
  summary.why = entry.why;
  summary.layers = model.layers.size();
  summary.heads = model.head_count();
  summary.width = model.width;
  for (const model::Layer& layer : model.layers) summary.hidden += layer.ffn.b1.size();
  summary.candidates = graph.edges.size();
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (!graph.edges[e].real) continue;
    ++summary.real;
    summary.positions += graph.writers[graph.edges[e].writer].name == "pos_embed";
    summary.differing += evidence[e].differs > 0;
    summary.changing += evidence[e].changes > 0;
  }
  return summary;
}

void add_model(CircuitSet& set, const Entry& entry, const SetOptions& options) {
  const lang::Rule rule = entry.rule();
  const model::Transformer model = driver::compile(rule, entry.options()).model;
  const exports::Readout readout = exports::readout_of(model);
  const verify::AnswerTable answers(model, rule);
  const Alphabet& alphabet = lang::alphabet(rule);
  const std::vector<WordPair> of_rule = word_pairs(rule, answers, {.count = options.pairs, .seed = options.seed});
  const std::vector<WordPair> pairs = over_alphabet(of_rule, alphabet, model.alphabet);
  const SplitRun network(model);
  const std::vector<EdgeEvidence> evidence = evidence_of(network, pairs);

  ModelSummary summary = summary_of(entry, model, network.graph(), evidence);
  summary.pairs = pairs.size();
  summary.classes.resize(readout.labels.size());
  for (const WordPair& pair : pairs) ++summary.classes[label_of(pair.clean_answer, readout)];

  const std::string folder = entry.name() + "/";
  for (exports::ExportedFile& file : exports::transformer_lens(model, kContext, model::TensorType::f32))
    set.files.push_back({folder + file.name, std::move(file.content)});
  set.files.push_back({folder + "circuit.json", exports::circuit_json(model)});
  set.files.push_back({folder + "edges.json", edges_json(network.graph(), evidence, pairs.size())});
  set.files.push_back({folder + "pairs.jsonl", pair_lines(of_rule, pairs, alphabet, model, readout)});
  set.files.push_back(
      {folder + "rule" + std::string(entry.file.substr(entry.file.rfind('.'))), std::string(entry.text())});
  set.models.push_back(std::move(summary));
}

Json to_json(const ModelSummary& model) {
  return {{"name", model.name},
          {"kind", model.kind},
          {"recipe", model.recipe},
          {"layers", model.layers},
          {"heads", model.heads},
          {"width", model.width},
          {"hidden", model.hidden},
          {"candidates", model.candidates},
          {"true", model.real},
          {"true_from_positions", model.positions},
          {"true_differing", model.differing},
          {"true_changing", model.changing},
          {"pairs", model.pairs},
          {"classes", model.classes},
          {"why", model.why}};
}

std::string index_json(const CircuitSet& set, const SetOptions& options) {
  Json index{{"format", "quench-circuits"}, {"version", 1}, {"seed", options.seed}, {"models", Json::array()}};
  for (const ModelSummary& model : set.models) index["models"].push_back(to_json(model));
  return index.dump(1) + "\n";
}

}  // namespace

CircuitSet make_set(const std::vector<Entry>& chosen, const SetOptions& options) {
  CircuitSet set;
  for (const Entry& entry : chosen) {
    add_model(set, entry, options);
    if (options.progress) options.progress(entry.name());
  }
  set.files.push_back({"index.json", index_json(set, options)});
  set.files.push_back({"README.md", readme(set)});
  set.files.push_back({"circuit.schema.json", std::string(set_text("circuit.schema"))});
  for (const char* name : {"score.py", "methods.py"}) set.files.push_back({name, std::string(set_text(name))});
  return set;
}

}  // namespace quench::circuits
