// /api/compile and /api/weights: from a rule to a network that is kept, and what it is made of.
#include <algorithm>

#include "studio/desk.h"

namespace quench::studio {
namespace {

constexpr std::size_t kLongestStage = 256 << 10;  // bytes of a listing, and of the cells of its tables

/// Equal for requests that give the same model and the same places.
std::string key_of(const RuleText& text, const Json& options) {
  return text.kind + '\n' + dump(options) + '\n' + text.text;
}

Json summary_json(const Model& model) {
  const ModelSummary summary = model.summary();
  return {{"logic", summary.logic},
          {"recipe", summary.recipe},
          {"kind", summary.kind},
          {"layers", summary.layers},
          {"heads", summary.heads},
          {"width", summary.width},
          {"hidden_units", summary.hidden_units},
          {"parameters", summary.parameters},
          {"nonzero_parameters", summary.nonzero_parameters},
          {"temperatures", summary.temperatures},
          {"masks", summary.masks},
          {"position_encodings", summary.position_encodings},
          {"source", model.source()},
          {"fingerprint", model.fingerprint()}};
}

/// A text without half a character at its end.
std::string cut(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

Json table_json(const Stage::Table& table, std::size_t& room) {
  Json rows = Json::array();
  for (std::size_t k = 0; k < table.rows.size() && room > 0; ++k) {
    for (const std::string& cell : table.rows[k]) room -= std::min(room, cell.size() + 8);
    rows.push_back({{"cells", table.rows[k]}, {"parts", table.parts[k]}});
  }
  return {{"title", table.title}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

Json stage_json(const Stage& stage) {
  std::size_t room = kLongestStage;
  Json tables = Json::array();
  for (const Stage::Table& table : stage.tables) tables.push_back(table_json(table, room));
  return {{"stage", stage.name},
          {"text", cut(stage.text, kLongestStage)},
          {"cut", stage.text.size() > kLongestStage || room == 0},
          {"tables", std::move(tables)}};
}

Models::Found compiled(Desk& desk, const RuleText& text, const std::string& key, const CompileOptions& options) {
  const Rule rule = parse_text(text);
  return desk.models.keep(key, std::make_shared<KeptModel>(rule, inspect(rule, options)));
}

Json rows_json(const std::vector<WeightRow>& rows) {
  Json result = Json::array();
  for (const WeightRow& row : rows) result.push_back(row_json(row));
  return result;
}

}  // namespace

Json compile(Desk& desk, Fields& fields) {
  const Clock::time_point begin = Clock::now();
  const RuleText text = rule_text(desk, fields);
  const CompileOptions options = compile_options(fields);
  const std::string key = key_of(text, fields.any("options"));
  const bool with_stages = fields.truth("stages", true);
  fields.done();
  try {
    const std::optional<Models::Found> known = desk.models.find(key);
    const Models::Found found = known ? *known : compiled(desk, text, key, options);
    const Inspection& inspection = found.model->inspection;
    Json stages = Json::array();
    if (with_stages)
      for (const Stage& stage : inspection.stages) stages.push_back(stage_json(stage));
    const bool in_text = !found.model->rule.is_automaton();
    Json result{{"model", found.id}, {"cached", known.has_value()}, {"milliseconds", nullptr}};
    result["rule"] = rule_json(text.text, text.kind, found.model->rule, inspection.parts, in_text);
    result["summary"] = summary_json(inspection.model);
    result["stages"] = std::move(stages);
    result["network"] = network_json(inspection.network);
    result["milliseconds"] = milliseconds_since(begin);
    return result;
  } catch (const RuleError& error) {
    throw Refusal{422, "rule", error.diagnostics.front().message,
                  Json{{"diagnostics", diagnostics_json(error.diagnostics, text.text)}}};
  }
}

Json weights(Desk& desk, Fields& fields) {
  const std::shared_ptr<KeptModel> kept = desk.models.get(fields.text("model"));
  constexpr std::uint64_t kMost = 1'000'000;
  const std::optional<std::uint64_t> layer = fields.whole("layer", 0, kMost), head = fields.whole("head", 0, kMost);
  fields.done();
  if (!layer) throw bad_request("'layer' is missing", "layer");
  if (head) {
    const HeadWeights found = head_weights(kept->inspection.model, *layer, *head);
    return {{"q", rows_json(found.q)}, {"k", rows_json(found.k)}, {"v", rows_json(found.v)}, {"o", rows_json(found.o)}};
  }
  const FeedForwardWeights found = feed_forward_weights(kept->inspection.model, *layer);
  return {{"w1", rows_json(found.w1)}, {"b1", found.b1}, {"w2", rows_json(found.w2)}, {"b2", found.b2}};
}

}  // namespace quench::studio
