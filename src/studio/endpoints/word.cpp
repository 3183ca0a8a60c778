// /api/word: one word through the rule and through the network, with all that can be seen on the way.
#include <bit>
#include <cmath>
#include <cstring>

#include "studio/endpoints/words.h"

namespace quench::studio {
namespace {

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t k) {
      return at + k < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[at + k])) : 0u;
    };
    const unsigned three = byte(0) << 16 | byte(1) << 8 | byte(2);
    const std::size_t here = bytes.size() - at;
    text += kDigits[three >> 18 & 63];
    text += kDigits[three >> 12 & 63];
    text += here > 1 ? kDigits[three >> 6 & 63] : '=';
    text += here > 2 ? kDigits[three & 63] : '=';
  }
  return text;
}

bool visible(const std::string& mask, std::size_t i, std::size_t j) {
  if (mask == "future") return j <= i;
  if (mask == "past") return j >= i;
  if (mask == "strict_future") return j < i;
  if (mask == "strict_past") return j > i;
  return true;
}

/// 32-bit floats, little-endian, by rows; −1 where the mask hides the key.
std::string weights_text(const Matrix<double>& weights, const std::string& mask) {
  std::string bytes;
  bytes.reserve(4 * weights.data.size());
  for (std::size_t i = 0; i < weights.rows; ++i)
    for (std::size_t j = 0; j < weights.cols; ++j) {
      const float weight = visible(mask, i, j) ? static_cast<float>(weights(i, j)) : -1.0F;
      const auto bits = std::bit_cast<std::uint32_t>(weight);
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 255);
    }
  return base64(bytes);
}

Json head_json(const KeptModel& kept, const TracedHead& head) {
  double entropy = 0, perplexity = 0;
  for (const double row : head.entropy) entropy += row, perplexity += std::exp(row);
  const auto n = static_cast<double>(head.entropy.size());
  return {{"id", to_text(head.head)},
          {"weights", weights_text(head.weights, kept.head(head.head).mask)},
          {"entropy", head.entropy},
          {"mean_entropy", entropy / n},
          {"mean_perplexity", perplexity / n}};
}

Json accepted_json(const Answer& expected, const Answer& got) {
  if (expected.kind != AnswerKind::truth) return nullptr;
  return {{"expected", expected.accepted()}, {"got", got.accepted()}};
}

}  // namespace

Json answer_json(const Answer& answer) {
  switch (answer.kind) {
    case AnswerKind::truth:
      return {{"kind", "truth"}, {"values", answer.truth}};
    case AnswerKind::numbers:
      return {{"kind", "numbers"}, {"values", answer.numbers}};
    case AnswerKind::symbols:
      return {{"kind", "symbols"}, {"values", answer.symbols}};
    case AnswerKind::scores:
      break;
  }
  Json values = Json::array();
  for (const auto& scores : answer.scores) {
    Json row = Json::array();
    for (const Answer::Score& score : scores) row.push_back({{"symbol", score.symbol}, {"value", score.value}});
    values.push_back(std::move(row));
  }
  return {{"kind", "scores"}, {"values", std::move(values)}};
}

Json word(Desk& desk, Fields& fields) {
  const Clock::time_point begin = Clock::now();
  const WordRequest request = word_request(desk, fields);
  const Trace seen = trace(request.model, request.word, request.options);
  const Answer expected = evaluate_symbols(request.kept->rule, seen.symbols);
  Json heads = Json::array(), coordinates = Json::array();
  for (const TracedHead& head : seen.heads) heads.push_back(head_json(*request.kept, head));
  for (const TracedValues& one : seen.values)
    coordinates.push_back({{"tenant", one.tenant},
                           {"sublayer", one.sublayer},
                           {"values", one.values},
                           {"distance", one.distance ? Json(*one.distance) : Json(nullptr)}});
  const std::optional<std::uint64_t> certified =
      request.as_certified ? request.kept->certified(request.options.format) : std::nullopt;
  Json result{{"n", seen.symbols.size()}, {"symbols", seen.symbols}, {"milliseconds", nullptr}};
  result["expected"] = answer_json(expected);
  result["got"] = answer_json(seen.answer);
  result["raw"] = seen.raw;
  result["wrong"] = differences(expected, seen.answer);
  result["accepted"] = accepted_json(expected, seen.answer);
  result["certified"] = certified ? Json(*certified) : Json(nullptr);
  result["heads"] = std::move(heads);
  result["coordinates"] = std::move(coordinates);
  result["milliseconds"] = milliseconds_since(begin);
  return result;
}

}  // namespace quench::studio
