// /api/length: long words, by the network and by the rule, in steps of four so that what would take too long is seen
// early.
#include <algorithm>
#include <cmath>
#include <random>

#include "studio/endpoints/words.h"

namespace quench::studio {
namespace {

constexpr std::size_t kFirstLength = 4096;
constexpr std::size_t kAround = 8;  // positions shown on either side of the first wrong one

struct LengthRequest {
  std::shared_ptr<KeptModel> kept;
  Model model;
  std::size_t length;
  Format format;
  std::uint64_t seed;
  std::string words;                 ///< "random", "runs", "repeat", "stretch"
  std::vector<std::string> pattern;  ///< of the last two
};

using Symbols = std::vector<std::string>;

Symbols random_symbols(const Symbols& from, std::size_t length, std::mt19937_64& random) {
  Symbols word(length);
  for (std::string& symbol : word) symbol = from[random() % from.size()];
  return word;
}

/// Runs of one symbol whose lengths are of every order of magnitude alike.
Symbols runs(const Symbols& from, std::size_t length, std::mt19937_64& random) {
  Symbols word;
  const double orders = std::log2(static_cast<double>(length) + 1);
  while (word.size() < length) {
    const double order = orders * static_cast<double>(random() >> 11) * 0x1p-53;
    const auto run = std::min(static_cast<std::size_t>(std::exp2(order)), length - word.size());
    word.insert(word.end(), std::max<std::size_t>(run, 1), from[random() % from.size()]);
  }
  return word;
}

Symbols word_of(const LengthRequest& request, std::size_t length) {
  std::mt19937_64 random(request.seed);
  Symbols symbols = request.kept->rule.symbols();
  if (symbols.empty()) symbols = {"x"};
  if (request.words == "random") return random_symbols(symbols, length, random);
  if (request.words == "runs") return runs(symbols, length, random);
  Symbols word(length);
  for (std::size_t k = 0; k < length; ++k) {
    const std::size_t n = request.pattern.size();
    word[k] = request.pattern[request.words == "repeat" ? k % n : k * n / length];
  }
  return word;
}

Json around_json(const Symbols& word, const Answer& expected, const Answer& got, std::size_t position) {
  const std::size_t first = position > kAround ? position - kAround : 1;
  const std::size_t last = std::min(position + kAround, word.size());
  Json symbols = Json::array(), right = Json::array(), found = Json::array();
  for (std::size_t i = first; i <= last; ++i) {
    symbols.push_back(word[i - 1]);
    right.push_back(text_at(expected, i));
    found.push_back(text_at(got, i));
  }
  return {{"from", first}, {"symbols", symbols}, {"expected", right}, {"got", found}};
}

Json try_length(const LengthRequest& request, const Runner& runner, std::size_t length) {
  const Symbols word = word_of(request, length);
  const Clock::time_point begin = Clock::now();
  const Answer got = runner.run_symbols(word);
  const double network = milliseconds_since(begin);
  const Clock::time_point then = Clock::now();
  const Answer expected = evaluate_symbols(request.kept->rule, word);
  const double rule = milliseconds_since(then);
  const std::vector<std::size_t> wrong = differences(expected, got);
  return {{"type", "length"},
          {"length", length},
          {"wrong", wrong.size()},
          {"first_wrong", wrong.empty() ? Json(nullptr) : Json(wrong.front())},
          {"milliseconds", {{"network", network}, {"rule", rule}}},
          {"around", wrong.empty() ? Json(nullptr) : around_json(word, expected, got, wrong.front())}};
}

std::vector<std::size_t> lengths_up_to(std::size_t longest) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = kFirstLength; n < longest; n *= 4) lengths.push_back(n);
  lengths.push_back(longest);
  return lengths;
}

/// From one length to the next, time grows at least as the length does and at most as its square; between, as it did.
double expected_seconds(double last, double before, double ratio) {
  const double growth = before > 0 ? last / before : ratio * ratio;
  return last * std::clamp(growth, ratio, ratio * ratio);
}

Json run_lengths(const LengthRequest& request, const std::vector<std::size_t>& lengths, Job& job) {
  const Runner runner(request.model, {.format = request.format, .uncertified = true});
  double last = 0, before = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    if (k > 0) {
      const double ratio = static_cast<double>(lengths[k]) / static_cast<double>(lengths[k - 1]);
      const double seconds = expected_seconds(last, before, ratio);
      if (seconds > job.seconds_left())
        throw over_limit("a word of " + std::to_string(lengths[k]) + " symbols would take about " +
                             std::to_string(std::lround(seconds)) + " s",
                         "job_seconds", std::floor(job.seconds_left()), std::ceil(seconds));
    }
    const Clock::time_point begin = Clock::now();
    job.say(try_length(request, runner, lengths[k]));
    before = last;
    last = milliseconds_since(begin) / 1000;
  }
  return Json::object();
}

/// The word, symbol by symbol, for the two kinds that are made of one.
Symbols pattern_of(const Desk& desk, const KeptModel& kept, const std::string& word) {
  if (word.size() > 4 * desk.limits.word) throw bad_request("'word' is too long", "word");
  return trace(kept.inspection.model, word, {.attention = std::vector<HeadIndex>{}, .values = false}).symbols;
}

LengthRequest length_request(Desk& desk, Fields& fields) {
  const std::shared_ptr<KeptModel> kept = desk.models.get(fields.text("model"));
  LengthRequest request{kept, kept->inspection.model, 0, format_of(fields.text("format", "f32")), 0, {}, {}};
  const bool linear = request.format == Format::f64 || request.format == Format::f32;
  const auto length = fields.whole("length", 1, std::uint64_t{1} << 40);
  if (!length) throw bad_request("'length' is missing", "length");
  const std::size_t most = linear ? desk.limits.length : desk.limits.slow_length;
  if (*length > most)
    throw over_limit("words of up to " + std::to_string(most) + " symbols are run in this format",
                     linear ? "length" : "slow_length", most, static_cast<std::size_t>(*length));
  request.length = *length;
  request.seed = fields.whole("seed", 0, std::uint64_t{1} << 53).value_or(1);
  if (const auto fixed = fields.whole("fixed_at", 1, std::uint64_t{1} << 20))
    request.model = with_fixed_temperature(request.model, *fixed);
  request.words = fields.text("words", "random");
  const std::string word = fields.text("word", "");
  fields.done();
  if (request.words == "repeat" || request.words == "stretch")
    request.pattern = pattern_of(desk, *kept, word);
  else if (request.words != "random" && request.words != "runs")
    throw bad_request("'words' is random, runs, repeat or stretch", "words");
  return request;
}

}  // namespace

Reply length(Desk& desk, Fields& fields) {
  const LengthRequest request = length_request(desk, fields);
  const std::vector<std::size_t> lengths = lengths_up_to(request.length);
  return desk.jobs.stream({{"lengths", lengths}},
                          [request, lengths](Job& job) { return run_lengths(request, lengths, job); });
}

}  // namespace quench::studio
