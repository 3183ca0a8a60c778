// Asks the studio without a socket, and reads what it says.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "studio/app.h"

namespace quench::studio {

inline constexpr int kPort = 8137;

class Asking {
 public:
  explicit Asking(const Limits& limits = {}) : app(limits, "0.0") { app.set_port(kPort); }

  static Request request(const std::string& method, const std::string& path, const std::string& body = {}) {
    return {method, path, body, "127.0.0.1:" + std::to_string(kPort), "", "", "application/json"};
  }
  Reply get(const std::string& path) { return app.answer(request("GET", path)); }
  Reply raw(const std::string& path, const std::string& body) { return app.answer(request("POST", path, body)); }
  Reply post(const std::string& path, const Json& body) { return raw(path, body.dump()); }

  /// The answer to a request that succeeds.
  Json ask(const std::string& path, const Json& body) {
    const Reply reply = post(path, body);
    EXPECT_EQ(reply.status, 200) << path << ": " << reply.body;
    return Json::parse(reply.body, nullptr, false);
  }
  /// The error of one that does not.
  Json refused(const std::string& path, const Json& body, int status, const std::string& code) {
    const Reply reply = post(path, body);
    EXPECT_EQ(reply.status, status) << path << ": " << reply.body;
    const Json json = Json::parse(reply.body, nullptr, false);
    EXPECT_EQ(json["error"]["code"], code) << reply.body;
    EXPECT_FALSE(json["error"]["message"].get<std::string>().empty());
    return json["error"];
  }
  /// The lines of a stream, to its end, or until `enough` says so.
  std::vector<Json> lines(const std::string& path, const Json& body,
                          const std::function<bool(const Json&)>& enough = {}) {
    const Reply reply = post(path, body);
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::vector<Json> result;
    if (!reply.stream) return result;
    reply.stream([&](const std::string& line) {
      EXPECT_TRUE(line.ends_with('\n'));
      result.push_back(Json::parse(line));
      return !enough || !enough(result.back());
    });
    return result;
  }
  Json compiled(const std::string& text, const Json& options = nullptr) {
    return ask("/api/compile", {{"text", text}, {"options", options}});
  }
  std::string model(const std::string& text, const Json& options = nullptr) {
    return compiled(text, options)["model"].get<std::string>();
  }

  App app;
};

}  // namespace quench::studio
