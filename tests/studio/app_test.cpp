// Who may ask the studio, what it makes of malformed requests, and its patience.
#include <atomic>
#include <thread>

#include "studio/asking.h"

namespace quench::studio {
namespace {

TEST(App, AnswersOnlyItsOwnPage) {
  Asking studio;
  const auto status = [&](const std::string& host, const std::string& origin, const std::string& site = "") {
    Request request = Asking::request("POST", "/api/parse", R"({"text": "Q_a"})");
    request.host = host, request.origin = origin, request.fetch_site = site;
    return studio.app.answer(request).status;
  };
  EXPECT_EQ(status("127.0.0.1:8137", ""), 200);
  EXPECT_EQ(status("127.0.0.1:8137", "http://127.0.0.1:8137"), 200);
  EXPECT_EQ(status("localhost:8137", "http://localhost:8137", "same-origin"), 200);
  EXPECT_EQ(status("127.0.0.1:8137", "", "none"), 200);
  for (const char* host :
       {"", "127.0.0.1", "127.0.0.1:80", "evil.example:8137", "127.0.0.1:8137.evil.example", "127.0.0.1:81370"})
    EXPECT_EQ(status(host, ""), 403) << host;
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8137",
                             "http://127.0.0.1:8137.evil.example", "http://127.0.0.1", "http://127.0.0.1:8138"})
    EXPECT_EQ(status("127.0.0.1:8137", origin), 403) << origin;
  EXPECT_EQ(status("127.0.0.1:8137", "", "cross-site"), 403);
  EXPECT_EQ(status("127.0.0.1:8137", "", "same-site"), 403);
  Request page = Asking::request("GET", "/");
  page.host = "evil.example";
  EXPECT_EQ(studio.app.answer(page).status, 403);
}

TEST(App, EveryAnswerIsGuarded) {
  Asking studio;
  for (const Reply& reply :
       {studio.get("/"), studio.get("/nowhere"), studio.get("/api/about"), studio.raw("/api/parse", "{")}) {
    std::string policy, sniffing, storing;
    for (const auto& [name, value] : reply.headers) {
      if (name == "Content-Security-Policy") policy = value;
      if (name == "X-Content-Type-Options") sniffing = value;
      if (name == "Cache-Control") storing = value;
    }
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(sniffing, "nosniff");
    EXPECT_EQ(storing, "no-store");
  }
}

TEST(App, MalformedBodiesAreTold) {
  Asking studio;
  for (const std::string& body :
       std::vector<std::string>{"", "{", "[]", "null", "7", "\"text\"", "{\"text\":}", "{\"text\": 7}",
                                "{\"txt\": \"Q_a\"}", "{\"text\": \"Q_a\", \"more\": 1}", std::string(5000, '['),
                                std::string("\xff\xfe{}"), "{\"text\": \"\xff\"}"}) {
    const Reply reply = studio.raw("/api/parse", body);
    EXPECT_EQ(reply.status, 400) << body.substr(0, 40) << ": " << reply.body;
  }
  EXPECT_EQ(studio.raw("/api/parse", "{\"text\": \"" + std::string(300000, 'a') + "\"}").status, 413);
  Request plain = Asking::request("POST", "/api/parse", R"({"text": "Q_a"})");
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"}) {
    plain.content_type = type;
    EXPECT_EQ(studio.app.answer(plain).status, 415) << type;
  }
  plain.content_type = "Application/JSON; charset=utf-8";
  EXPECT_EQ(studio.app.answer(plain).status, 200);
}

TEST(App, AddressesAndMethods) {
  Asking studio;
  for (const char* address : {"", "api/parse", "x"}) {
    EXPECT_EQ(studio.get(address).status, 404) << address;
    EXPECT_EQ(studio.raw(address, "{}").status, 404) << address;
  }
  EXPECT_EQ(studio.get("/").status, 200);
  EXPECT_EQ(studio.get("/nowhere").status, 404);
  EXPECT_EQ(studio.get("/../etc/passwd").status, 404);
  EXPECT_EQ(studio.get("/api/parse").status, 405);
  EXPECT_EQ(studio.get("").status, 404);
  EXPECT_EQ(studio.raw("/api/about", "{}").status, 405);
  EXPECT_EQ(studio.raw("/api/soup", "{}").status, 404);
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"})
    EXPECT_EQ(studio.app.answer(Asking::request(method, "/api/parse")).status, 405) << method;
}

TEST(Patience, EndsBeforeTheWork) {
  std::atomic<bool> done = false;
  {
    Patience patience(1);
    const auto slow = [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      done = true;
      return Reply{};
    };
    try {
      patience.within(0.01, slow);
      FAIL();
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.code, "seconds");
      EXPECT_FALSE(done);
    }
  }
  EXPECT_TRUE(done);  // it went on to its end
}

TEST(Patience, TakesOnlySoMuch) {
  Patience patience(1, 0);
  EXPECT_THROW(patience.within(1, [] { return Reply{}; }), Refusal);
}

}  // namespace
}  // namespace quench::studio
