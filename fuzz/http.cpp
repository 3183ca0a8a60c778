// Bytes → requests to the studio, one after the other: nothing that a client sends is a mistake of ours (status 500),
// and everything is answered in the form that docs/studio.md promises.
//
// Requests are separated by empty lines. The first line of one is the address, or "GET " and an address; the rest is
// the body. `$MODEL` stands for the model that was compiled last.
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "fuzz/expect.h"
#include "studio/app.h"

namespace {

using namespace quench;
using studio::Json;

constexpr int kPort = 8137;

/// Small ones, so that many requests are answered in a second.
studio::Limits limits() {
  studio::Limits limits;
  limits.body_bytes = 4096;
  limits.text_bytes = 300;
  limits.word = 48;
  limits.view_cells = 1 << 14;
  limits.length = 4096;
  limits.slow_length = 128;
  limits.models = 8;
  limits.jobs = 2;
  limits.job_seconds = 1;
  limits.certify_formats = 2;
  limits.verify_words = 2000;
  return limits;
}

bool is_status(int status) {
  static constexpr std::array<int, 9> kStatuses{200, 400, 403, 404, 405, 413, 415, 422, 503};
  return std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end();
}

/// The requests of an input ask with what they were answered.
class Client {
 public:
  explicit Client(studio::App& app) : app_(app) {}

  void ask(std::string text) {
    for (std::size_t at = 0; (at = text.find("$MODEL", at)) != std::string::npos; at += model_.size())
      text.replace(at, 6, model_);
    const std::size_t line = std::min(text.find('\n'), text.size());
    std::string address = text.substr(0, line);
    const bool get = address.starts_with("GET ");
    if (get) address.erase(0, 4);
    read(app_.answer({get ? "GET" : "POST", address, text.substr(std::min(line + 1, text.size())),
                      "127.0.0.1:" + std::to_string(kPort), "", "", "application/json"}));
  }

 private:
  void read(const studio::Reply& reply) {
    fuzz::expect(is_status(reply.status), "status " + std::to_string(reply.status) + ": " + reply.body);
    if (reply.stream) {
      reply.stream([&](const std::string& line) {
        const Json json = Json::parse(line, nullptr, false);
        fuzz::expect(json.is_object() && json.contains("type") && line.ends_with('\n'), "no line of a stream: " + line);
        fuzz::expect(!json.contains("error") || json["error"]["code"] != "bug", line);
        return true;
      });
    } else if (reply.type.starts_with("application/json") && reply.status != 200) {
      const Json json = Json::parse(reply.body, nullptr, false);
      fuzz::expect(json.is_object() && json.contains("error") && !json["error"]["message"].get<std::string>().empty(),
                   "no error: " + reply.body);
    } else if (reply.type.starts_with("application/json")) {
      const Json json = Json::parse(reply.body, nullptr, false);
      fuzz::expect(!json.is_discarded(), "no JSON: " + reply.body);
      if (json.is_object() && json.contains("model") && json["model"].is_string()) model_ = json["model"];
    }
  }

  studio::App& app_;
  std::string model_ = "none";
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static studio::App app(limits(), "0.0");
  app.set_port(kPort);
  Client client(app);
  std::string_view rest = fuzz::text_of(data, size);
  for (int requests = 0; requests < 6 && !rest.empty(); ++requests) {
    const std::size_t end = std::min(rest.find("\n\n"), rest.size());
    client.ask(std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return 0;
}
