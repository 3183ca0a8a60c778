#include "studio/load.h"

#include <httplib.h>
#include <quench/quench.h>

#include <chrono>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

namespace quench::studio {
namespace {

using Object = nlohmann::json;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// One client: a random walk through what a page does, and what no page should do.
class LoadClient {
 public:
  LoadClient(int port, std::uint64_t seed) : port_(port), random_(seed) {}

  void run(Clock::time_point end) {
    while (Clock::now() < end) {
      switch (random_() % 16) {
        case 0:
          malformed();
          break;
        case 1:
          slow();
          break;
        case 2:
          hang_up();
          break;
        case 3:
          foreign();
          break;
        case 4:
          parse();
          break;
        case 5:
          certify();
          break;
        case 6:
          verify();
          break;
        case 7:
          download();
          break;
        default:
          word();
          break;
      }
    }
  }

  LoadReport report;

 private:
  std::string random_formula(int depth) {
    static const char* unary[] = {"O ", "H ", "prev ", "! ", "F "};
    static const char* binary[] = {" & ", " | ", " S ", " since ", " -> "};
    if (depth == 0 || random_() % 5 == 0) return std::string("Q_") + "abc"[random_() % 3];
    if (random_() % 4 == 0) return "#<[" + random_formula(depth - 1) + "] >= #<[" + random_formula(depth - 1) + "]";
    if (random_() % 2 == 0) return std::string(unary[random_() % 5]) + "(" + random_formula(depth - 1) + ")";
    return "(" + random_formula(depth - 1) + ")" + binary[random_() % 5] + "(" + random_formula(depth - 1) + ")";
  }
  std::string random_word() {
    std::string word(1 + random_() % 40, ' ');
    for (char& c : word) c = "abcx"[random_() % 4];
    return word;
  }

  /// The answer to a well-formed request; nothing if the server is busy.
  std::optional<Object> ask(const std::string& kind, const std::string& path, const Object& body) {
    ++report.requests[kind];
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(60);
    const Clock::time_point begin = Clock::now();
    const httplib::Result result = client.Post(path, body.dump(), "application/json");
    if (!result) return lost(kind + ": no answer: " + to_string(result.error())), std::nullopt;
    report.milliseconds[kind].push_back(milliseconds_since(begin));
    ++report.answers;
    if (result->status == 503) return ++report.busy, std::nullopt;
    if (result->status == 404 && result->body.find("unknown-model") != std::string::npos)
      return std::nullopt;  // no longer kept
    if (result->status != 200) return wrong(kind + ": " + result->body.substr(0, 200)), std::nullopt;
    const std::size_t last = result->body.rfind('\n', result->body.size() - 2);
    return Object::parse(last == std::string::npos ? result->body : result->body.substr(last + 1), nullptr, false);
  }

  std::optional<std::string> compiled(const std::string& text) {
    const auto answer = ask("compile", "/api/compile", {{"text", text}});
    return answer ? std::optional((*answer)["model"].get<std::string>()) : std::nullopt;
  }

  void word() {
    const std::string text = random_formula(3);
    const std::optional<std::string> model = compiled(text);
    if (!model) return;
    const Rule rule = parse_formula(text);
    for (int k = 0; k < 3; ++k) {
      const std::string typed = random_word();
      const auto seen = ask("word", "/api/word", {{"model", *model}, {"word", typed}});
      if (!seen) continue;
      const Object expected(evaluate(rule, typed).truth);
      if ((*seen)["got"]["values"] != expected || (*seen)["expected"]["values"] != expected)
        wrong(text + " on " + typed + ": " + (*seen)["got"].dump() + ", expected " + expected.dump());
      ask("warm word", "/api/word", {{"model", *model}, {"word", typed}, {"warmth", 30.0}});
    }
  }

  void parse() {
    const bool broken = random_() % 2 == 0;
    const auto answer = ask("parse", "/api/parse", {{"text", random_formula(4) + (broken ? " & (" : "")}});
    if (answer && (*answer)["ok"] == broken) wrong("parse: ok is " + (*answer)["ok"].dump());
  }

  void certify() {
    const std::optional<std::string> model = compiled(random_formula(2));
    if (!model) return;
    const auto last = ask("certify", "/api/certify", {{"model", *model}, {"formats", {"f32"}}});
    if (last && (*last)["type"] != "done") wrong("certify: " + last->dump());
  }

  void verify() {
    const std::optional<std::string> model = compiled(random_formula(2));
    if (!model) return;
    const auto last = ask("verify", "/api/verify", {{"model", *model}, {"exhaustive", 4}, {"random_count", 5}});
    if (last && ((*last)["type"] != "done" || (*last)["differences"] != 0)) wrong("verify: " + last->dump());
  }

  void download() {
    const std::optional<std::string> model = compiled(random_formula(2));
    if (!model) return;
    ++report.requests["download"];
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(60);
    const httplib::Result result = client.Get("/api/models/" + *model + "/model.safetensors");
    if (!result) return lost("download: no answer: " + to_string(result.error()));
    ++report.answers;
    if (result->status == 200)
      load_bytes(result->body);
    else if (result->status != 404 && result->status != 503)
      wrong("download: " + std::to_string(result->status));
  }

  void malformed() {
    ++report.requests["malformed"];
    static const std::string bodies[] = {"",
                                         "{",
                                         "[]",
                                         "{\"text\": 7}",
                                         "{\"text\": \"\xff\"}",
                                         std::string(4000, '['),
                                         "{\"model\": \"x\", \"word\": \"y\", \"heads\": 7}",
                                         std::string(300'000, ' ')};
    static const char* paths[] = {"/api/parse", "/api/word", "/api/compile", "/api/length", "/api/nothing"};
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(60);
    const httplib::Result result = client.Post(paths[random_() % 5], bodies[random_() % 8], "application/json");
    if (!result) return lost("malformed: no answer: " + to_string(result.error()));
    ++report.answers;
    if (result->status < 400 || result->status == 500)
      wrong("malformed: " + std::to_string(result->status) + result->body);
  }

  void foreign() {
    ++report.requests["foreign"];
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(60);
    const httplib::Headers headers{{"Origin", "http://evil.example"}};
    const httplib::Result result = client.Post("/api/parse", headers, R"({"text":"Q_a"})", "application/json");
    if (!result) return lost("foreign: no answer: " + to_string(result.error()));
    ++report.answers;
    if (result->status != 403) wrong("foreign: " + std::to_string(result->status));
  }

  int connected() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return socket;
    ::close(socket);
    return -1;
  }
  void send(int socket, const std::string& bytes) {
    static_cast<void>(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  std::string post_head(const std::string& path, std::size_t length) const {
    return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
  }

  /// Sends a byte now and then, and still gets its answer.
  void slow() {
    ++report.requests["slow"];
    const std::string body = R"({"text":"Q_a"})";
    const int socket = connected();
    if (socket < 0) return lost("slow: no connection");
    send(socket, post_head("/api/parse", body.size()));
    for (const char c : body) {
      send(socket, std::string(1, c));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::string answer;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::recv(socket, buffer, sizeof buffer, 0)) > 0;) answer.append(buffer, count);
    ::close(socket);
    if (answer.empty()) return lost("slow: no answer");
    ++report.answers;
    if (answer.find(" 200 ") == std::string::npos && answer.find(" 503 ") == std::string::npos)
      wrong("slow: " + answer.substr(0, 100));
  }

  /// In the middle of a request, before the answer, or within a stream.
  void hang_up() {
    ++report.requests["hang up"];
    const int socket = connected();
    if (socket < 0) return lost("hang up: no connection");
    switch (random_() % 3) {
      case 0:
        send(socket, post_head("/api/parse", 1000) + "{\"te");
        break;
      case 1: {
        const std::string body = Object{{"text", random_formula(5)}}.dump();
        send(socket, post_head("/api/compile", body.size()) + body);
        break;
      }
      default:
        if (const auto model = compiled(random_formula(2))) {
          const std::string body = Object{{"model", *model}, {"length", 100000}}.dump();
          send(socket, post_head("/api/length", body.size()) + body);
          char buffer[64];
          static_cast<void>(::recv(socket, buffer, sizeof buffer, 0));
        }
    }
    ::close(socket);
  }

  void wrong(const std::string& what) {
    ++report.wrong;
    if (report.mistakes.size() < 5) report.mistakes.push_back(what);
  }
  void lost(const std::string& what) {
    ++report.unanswered;
    if (report.mistakes.size() < 5) report.mistakes.push_back(what);
  }

  const int port_;
  std::mt19937_64 random_;
};

void add(LoadReport& to, const LoadReport& more) {
  for (const auto& [kind, count] : more.requests) to.requests[kind] += count;
  for (const auto& [kind, times] : more.milliseconds)
    to.milliseconds[kind].insert(to.milliseconds[kind].end(), times.begin(), times.end());
  to.answers += more.answers, to.wrong += more.wrong, to.busy += more.busy, to.unanswered += more.unanswered;
  to.mistakes.insert(to.mistakes.end(), more.mistakes.begin(), more.mistakes.end());
}

}  // namespace

LoadReport run_load(int port, std::size_t clients, double seconds, std::uint64_t seed) {
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::vector<LoadClient> all;
  for (std::size_t k = 0; k < clients; ++k) all.emplace_back(port, seed + k);
  std::vector<std::thread> threads;
  for (LoadClient& client : all) threads.emplace_back([&client, end] { client.run(end); });
  for (std::thread& thread : threads) thread.join();
  LoadReport report;
  for (const LoadClient& client : all) add(report, client.report);
  return report;
}

double memory_megabytes() {
  std::ifstream status("/proc/self/statm");
  double pages = 0, resident = 0;
  status >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace quench::studio
