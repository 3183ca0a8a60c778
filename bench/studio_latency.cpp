// How long each interaction with the studio takes, over a real connection: median and worst of 50, at n = 16, 64 and
// 256. The rule of thumb to watch: under 100 ms at n ≤ 64.
#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "studio/examples.h"
#include "studio/studio.h"

namespace quench::studio {
namespace {

using Object = nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr int kRepetitions = 50;

class Page {
 public:
  explicit Page(int port) : port_(port) {}

  Object ask(const std::string& path, const Object& body) {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(120);
    const httplib::Result result = client.Post(path, body.dump(), "application/json");
    if (!result || result->status != 200) {
      std::printf("%s: %s\n", path.c_str(), result ? result->body.c_str() : "no answer");
      std::exit(1);
    }
    bytes = result->body.size();
    return Object::parse(result->body, nullptr, false);
  }

  std::size_t bytes = 0;

 private:
  const int port_;
};

void measure(Page& page, const char* rule, const char* what, std::size_t n,
             const std::function<void(int)>& interaction) {
  std::vector<double> times;
  for (int k = 0; k < kRepetitions; ++k) {
    const Clock::time_point begin = Clock::now();
    interaction(k);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%-12s %-26s %5zu   %8.2f ms   %8.2f ms   %8.1f kB\n", rule, what, n, times[times.size() / 2],
              times.back(), static_cast<double>(page.bytes) / 1000);
}

std::string text_of(const std::string& file) {
  for (const ExampleText& example : examples())
    if (example.name == file) return std::string(example.text);
  return {};
}

void measure_rule(Page& page, const char* name, const std::string& text, const std::string& symbols) {
  measure(page, name, "parse", 0, [&](int k) { page.ask("/api/parse", {{"text", text + std::string(k, '\n')}}); });
  measure(page, name, "compile", 0, [&](int k) { page.ask("/api/compile", {{"text", text + std::string(k, '\n')}}); });
  measure(page, name, "compile, kept", 0, [&](int) { page.ask("/api/compile", {{"text", text}}); });
  measure(page, name, "gamma", 0, [&](int k) {
    page.ask("/api/compile", {{"text", text}, {"options", {{"gamma", 10 + 0.1 * k}}}});
  });
  const std::string model = page.ask("/api/compile", {{"text", text}})["model"];
  page.ask("/api/weights", {{"model", model}, {"layer", 0}});
  for (const std::size_t n : {16, 64, 256}) {
    std::mt19937 random(1);
    std::string word(n, ' ');
    for (char& c : word) c = symbols[random() % symbols.size()];
    const auto with = [&](Object more) {
      more["model"] = model;
      more["word"] = word;
      page.ask("/api/word", more);
    };
    measure(page, name, "word", n, [&](int) { with({}); });
    measure(page, name, "word, no coordinates", n, [&](int) { with({{"coordinates", false}}); });
    measure(page, name, "warmth", n, [&](int k) { with({{"warmth", 0.5 + k}}); });
    measure(page, name, "hard", n, [&](int) { with({{"hard", true}}); });
    measure(page, name, "format bf16", n, [&](int) { with({{"format", "bf16"}}); });
    measure(page, name, "format f8e4m3", n, [&](int) { with({{"format", "f8e4m3"}}); });
    measure(page, name, "ablate", n, [&](int) { with({{"ablated", {"0.0"}}}); });
    measure(page, name, "patch", n, [&](int k) {
      with({{"patches", {{{"tenant", 1}, {"position", 1 + k % 16}, {"value", 1}}}}});
    });
    measure(page, name, "picture", n, [&](int) { page.ask("/api/attention.svg", {{"model", model}, {"word", word}}); });
  }
}

}  // namespace
}  // namespace quench::studio

int main() {
  using namespace quench::studio;
  Options options;
  options.limits.models = 200;
  Studio studio(options);
  std::thread server([&] { studio.serve(); });
  Page page(studio.port());
  std::printf("%-12s %-26s %5s   %11s   %11s   %11s\n", "rule", "interaction", "n", "median", "worst", "answer");
  measure_rule(page, "flip_flop", text_of("flip_flop.tl"), "wri01");
  measure_rule(page, "dyck_1", text_of("dyck_1.tl"), "()");
  measure_rule(page, "dyck_2.srasp", text_of("dyck_2.srasp"), "()[]");
  studio.stop();
  server.join();
}
