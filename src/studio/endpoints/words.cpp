#include "studio/endpoints/words.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace quench::studio {
namespace {

constexpr double kWarmest = 1152921504606846976.0;  // 2^60
constexpr std::size_t kMostIdleCells = std::size_t{1}
                                       << 28;  // heads · n² that are computed, though nobody looks at them

void take_warmth(Fields& fields, WordRequest& request) {
  const Json& given = fields.any("warmth");
  double warmth = 1;
  if (given.is_string() && given == "uniform")
    warmth = std::numeric_limits<double>::infinity();
  else if (!given.is_null())
    warmth = fields.number("warmth");
  if (!(warmth >= 0) || (warmth > kWarmest && !given.is_string()))
    throw bad_request("'warmth' is a number from 0 to 2^60, or \"uniform\"", "warmth");
  request.as_certified &= warmth == 1;
  if (warmth == 0)
    request.options.hard = true;
  else if (warmth != 1)
    request.model = warmed(request.model, warmth);
}

void take_patches(Fields& fields, WordRequest& request) {
  const std::vector<Tenant>& tenants = request.kept->inspection.network.tenants;
  for (const Json& given : fields.list("patches")) {
    Fields patch(given, "a patch");
    const auto tenant = patch.whole("tenant", 0, tenants.size() - 1), position = patch.whole("position", 1, 1 << 30);
    if (!tenant || !position) throw bad_request("a patch has a tenant, a position and a value", "patches");
    request.options.patches.push_back({tenants[*tenant].name, *position, patch.number("value")});
    patch.done();
  }
  request.as_certified &= request.options.patches.empty();
}

/// Which heads are to be shown.
void take_heads(Fields& fields, WordRequest& request) {
  const Json& given = fields.any("heads");
  if (given.is_null() || given == true) return;
  request.options.attention.emplace();
  if (given == false) return;
  for (const std::string& head : fields.texts("heads")) request.options.attention->push_back(head_index(head));
}

std::size_t symbols_in(const std::string& word, bool separated) {
  std::size_t count = 0;
  bool inside = false;
  for (const char byte : word) {
    if (!separated) {
      count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    } else {
      count += byte != ' ' && !inside;
      inside = byte != ' ';
    }
  }
  return count;
}

bool separated(const Model& model) {
  const std::vector<std::string> symbols = model.symbols();
  return std::any_of(symbols.begin(), symbols.end(), [](const auto& s) { return symbols_in(s, false) != 1; });
}

void check_size(const Limits& limits, const WordRequest& request) {
  const std::size_t n = symbols_in(request.word, separated(request.model));
  if (n > limits.word)
    throw over_limit("the word has " + std::to_string(n) + " symbols; up to " + std::to_string(limits.word) +
                         " are shown (longer words: /api/length)",
                     "word", limits.word, n);
  const std::size_t heads = request.kept->inspection.model.summary().heads;
  const std::size_t cells = n * n * (request.options.attention ? request.options.attention->size() : heads);
  if (cells > limits.view_cells)
    throw over_limit("that are " + std::to_string(cells) + " attention weights; ask for fewer heads", "view_cells",
                     limits.view_cells, cells);
  if (n * n * heads > kMostIdleCells)
    throw over_limit("the network has too many heads for a word of this length", "view_cells", kMostIdleCells,
                     n * n * heads);
}

/// Both are rounded to a millionth, and may have been rounded to neighbours.
bool nearly_equal(const std::vector<Answer::Score>& a, const std::vector<Answer::Score>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Answer::Score& x, const Answer::Score& y) {
    return x.symbol == y.symbol && std::abs(x.value - y.value) < 1.5e-6;
  });
}

}  // namespace

WordRequest word_request(Desk& desk, Fields& fields) {
  const std::shared_ptr<KeptModel> kept = desk.models.get(fields.text("model"));
  WordRequest request{kept, kept->inspection.model, fields.text("word"), {}, true};
  request.options.format = format_of(fields.text("format", "f64"));
  request.options.hard = fields.truth("hard", false);
  request.as_certified = !request.options.hard;
  take_warmth(fields, request);
  for (const std::string& head : fields.texts("ablated")) request.options.ablated.push_back(head_index(head));
  request.as_certified &= request.options.ablated.empty();
  take_patches(fields, request);
  take_heads(fields, request);
  request.options.values = fields.truth("coordinates", true);
  fields.done();
  check_size(desk.limits, request);
  return request;
}

std::vector<std::size_t> differences(const Answer& expected, const Answer& got) {
  std::vector<std::size_t> found;
  const auto compare = [&](const auto& a, const auto& b, const auto& same) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      if (i >= a.size() || i >= b.size() || !same(a[i], b[i])) found.push_back(i + 1);
  };
  const std::equal_to<> equal;
  switch (expected.kind) {
    case AnswerKind::truth:
      compare(expected.truth, got.truth, equal);
      break;
    case AnswerKind::numbers:
      compare(expected.numbers, got.numbers, equal);
      break;
    case AnswerKind::symbols:
      compare(expected.symbols, got.symbols, equal);
      break;
    case AnswerKind::scores:
      compare(expected.scores, got.scores, nearly_equal);
      break;
  }
  return found;
}

std::string text_at(const Answer& answer, std::size_t position) {
  const std::size_t i = position - 1;
  std::string text;
  switch (answer.kind) {
    case AnswerKind::truth:
      return answer.truth[i] ? "1" : "0";
    case AnswerKind::numbers:
      return std::to_string(answer.numbers[i]);
    case AnswerKind::symbols:
      for (const std::string& symbol : answer.symbols[i]) text += symbol;
      return text;
    case AnswerKind::scores:
      for (const Answer::Score& score : answer.scores[i])
        text += (text.empty() ? "" : " ") + score.symbol + "=" + std::to_string(score.value);
      return text;
  }
  return text;
}

}  // namespace quench::studio
