// The studio over real connections: what travels, what is refused, clients that are slow, rude or gone.
#include "studio/studio.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <nlohmann/json.hpp>
#include <thread>

namespace quench::studio {
namespace {

using Object = nlohmann::json;

class Running {
 public:
  explicit Running(const Options& options = {}) : studio(options), thread([this] { studio.serve(); }) {}
  ~Running() {
    studio.stop();
    thread.join();
  }

  httplib::Client client() const {
    httplib::Client result("127.0.0.1", studio.port());
    result.set_read_timeout(60);
    return result;
  }
  Object post(const std::string& path, const Object& body) const {
    const httplib::Result result = client().Post(path, body.dump(), "application/json");
    EXPECT_TRUE(result) << path;
    return result ? Object::parse(result->body, nullptr, false) : Object();
  }
  std::string model(const std::string& text) const { return post("/api/compile", {{"text", text}})["model"]; }

  Studio studio;
  std::thread thread;
};

/// Sends bytes as they are, and reads until the server ends the connection.
std::string raw_exchange(int port, const std::string& bytes, bool half_close = false) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    static_cast<void>(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (half_close) ::shutdown(socket, SHUT_WR);
    char buffer[4096];
    for (ssize_t count = 0; (count = ::recv(socket, buffer, sizeof buffer, 0)) > 0;) answer.append(buffer, count);
  }
  ::close(socket);
  return answer;
}

TEST(Server, ServesThePageAndTheInterface) {
  const Running server;
  const httplib::Result page = server.client().Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_FALSE(page->has_header("Set-Cookie"));
  EXPECT_FALSE(page->has_header("Access-Control-Allow-Origin"));
  const httplib::Result about = server.client().Get("/api/about", {{"Accept-Encoding", "gzip, br"}});
  ASSERT_TRUE(about);
  EXPECT_FALSE(about->has_header("Content-Encoding"));
  EXPECT_GT(Object::parse(about->body)["examples"].size(), 50u);
  const Object word = server.post("/api/word", {{"model", server.model("O Q_a")}, {"word", "ba"}});
  EXPECT_EQ(word["got"]["values"], (Object{false, true}));
}

TEST(Server, ListensOnThisMachineOnly) {
  const Running server;
  EXPECT_TRUE(server.studio.address().starts_with("http://127.0.0.1:"));
  EXPECT_THROW(Studio(Options{.port = server.studio.port(), .version = "", .limits = {}}), PortTaken);
}

TEST(Server, RefusesForeignPages) {
  const Running server;
  const std::string port = std::to_string(server.studio.port());
  httplib::Headers foreign{{"Origin", "http://evil.example"}};
  EXPECT_EQ(server.client().Post("/api/parse", foreign, R"({"text":"Q_a"})", "application/json")->status, 403);
  EXPECT_EQ(server.client().Get("/", {{"Host", "evil.example"}})->status, 403);
  httplib::Headers own{{"Origin", "http://127.0.0.1:" + port}, {"Sec-Fetch-Site", "same-origin"}};
  EXPECT_EQ(server.client().Post("/api/parse", own, R"({"text":"Q_a"})", "application/json")->status, 200);
  EXPECT_EQ(server.client().Options("/api/parse")->status, 405);
}

/// A refused request's body must not be taken for the next request.
TEST(Server, NothingIsSmuggledInABody) {
  const Running server;
  const std::string host = "Host: 127.0.0.1:" + std::to_string(server.studio.port()) + "\r\n";
  const std::string inner = "GET /api/about HTTP/1.1\r\n" + host + "\r\n";
  for (const std::string& head :
       {"POST /api/parse HTTP/1.1\r\n" + host + "Origin: http://evil.example\r\n", "GET / HTTP/1.1\r\n" + host,
        std::string("POST /api/parse HTTP/1.1\r\nHost: evil\r\n")}) {
    const std::string answer = raw_exchange(
        server.studio.port(),
        head + "Content-Type: text/plain\r\nContent-Length: " + std::to_string(inner.size()) + "\r\n\r\n" + inner);
    EXPECT_EQ(answer.find("\"examples\""), std::string::npos) << head;
  }
}

TEST(Server, SurvivesWhatIsNoRequest) {
  const Running server;
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(20000, 'x'),
        std::string("POST /api/parse HTTP/9\r\n\r\n"),
        std::string("POST /api/parse HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
        std::string("POST /api/parse HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n{}"),
        std::string("POST /api/parse HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        "GET /" + std::string(5000, 'a') + " HTTP/1.1\r\n\r\n", std::string("\0\1\2\3", 4)})
    raw_exchange(server.studio.port(), bytes, true);
  EXPECT_EQ(server.client().Get("/api/about")->status, 200);
}

TEST(Server, LongBodiesAreToldNotKept) {
  const Running server;
  const std::string body(2 << 20, ' ');
  const httplib::Result result = server.client().Post("/api/parse", body, "application/json");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 413);
}

TEST(Server, StreamsAndCancels) {
  const Running server;
  const std::string model = server.model("H (Q_a -> O Q_b) & Q_c S Q_d");
  std::string received;
  bool cancelled = false;
  httplib::Client client = server.client();
  httplib::Request request;
  request.method = "POST";
  request.path = "/api/verify";
  request.body = Object{{"model", model}, {"exhaustive", 10}}.dump();
  request.headers = {{"Content-Type", "application/json"}};
  request.content_receiver = [&](const char* bytes, std::size_t count, std::uint64_t, std::uint64_t) {
    received.append(bytes, count);
    const std::size_t end = received.find('\n');
    if (!cancelled && end != std::string::npos)
      cancelled = server.post("/api/cancel", {{"job", Object::parse(received.substr(0, end))["job"]}})["cancelled"];
    return true;
  };
  const httplib::Result result = client.send(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->get_header_value("Content-Type"), "application/x-ndjson");
  EXPECT_TRUE(cancelled);
  EXPECT_NE(received.find("\"type\":\"cancelled\""), std::string::npos) << received;
}

TEST(Server, WorkEndsWhenTheClientIsGone) {
  Options options;
  options.limits.jobs = 1;
  const Running server(options);
  const std::string model = server.model("H (Q_a -> O Q_b) & Q_c S Q_d");
  httplib::Client client = server.client();
  httplib::Request request;
  request.method = "POST";
  request.path = "/api/verify";
  request.body = Object{{"model", model}, {"exhaustive", 10}}.dump();
  request.headers = {{"Content-Type", "application/json"}};
  request.content_receiver = [](const char*, std::size_t, std::uint64_t, std::uint64_t) { return false; };  // hang up
  client.send(request);
  // The one job there may be has ended soon, so that there is room for another.
  int status = 503;
  for (int k = 0; k < 100 && status == 503; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    status = server.client()
                 .Post("/api/certify", Object{{"model", model}, {"formats", {"f32"}}}.dump(), "application/json")
                 ->status;
  }
  EXPECT_EQ(status, 200);
}

TEST(Server, SlowClientsDoNotHoldUpOthers) {
  const Running server;
  std::vector<std::thread> slow;
  const std::string head = "POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n";
  for (int k = 0; k < 40; ++k)
    slow.emplace_back([&] { raw_exchange(server.studio.port(), head); });  // never sends the rest
  EXPECT_EQ(server.post("/api/parse", {{"text", "Q_a"}})["ok"], true);
  for (std::thread& one : slow) one.join();
}

TEST(Server, StopsAlsoBeforeItServes) {
  Studio studio(Options{});
  studio.stop();
  studio.serve();
  Studio other(Options{});
  std::thread thread([&] { other.serve(); });
  other.stop();
  thread.join();
}

}  // namespace
}  // namespace quench::studio
