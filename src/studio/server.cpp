// The studio's transport, by cpp-httplib; the only file that knows it. Every connection serves one request and is
// closed: idle clients hold nothing, and a body that nobody read can never be taken for another request.
#include <httplib.h>

#include <atomic>

#include "studio/app.h"
#include "studio/assets.h"
#include "studio/studio.h"

namespace quench::studio {
namespace {

constexpr std::size_t kConnections = 96;  // at a time; others wait
constexpr int kWaiting = 512;             // connections that are not accepted yet
constexpr std::size_t kLongestPath = 256;
constexpr int kReadSeconds = 5;      // without a byte
constexpr double kBodySeconds = 20;  // for a whole body
constexpr std::size_t kMostSkipped = std::size_t{16}
                                     << 20;  // bytes of a body that is too long, which are read and dropped

Request request_of(const httplib::Request& from, std::string body) {
  Request request{from.method, from.path, std::move(body), {}, {}, {}, {}};
  // Two of a kind are none of ours: joined, they match nothing.
  const auto header = [&](const char* name) {
    std::string value;
    for (std::size_t k = 0; k < from.get_header_value_count(name); ++k)
      value += (k > 0 ? "," : "") + from.get_header_value(name, k);
    return value;
  };
  request.host = header("Host");
  request.origin = header("Origin");
  request.fetch_site = header("Sec-Fetch-Site");
  request.content_type = header("Content-Type");
  return request;
}

/// Through a provider of known length, since a body that is set directly is compressed, which takes longer than it
/// saves.
void set_body(httplib::Response& response, Reply& reply) {
  const auto body = std::make_shared<std::string>(std::move(reply.body));
  if (body->empty()) return response.set_content("", reply.type);
  response.set_content_provider(body->size(), reply.type,
                                [body](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  return sink.write(body->data() + offset, length);
                                });
}

void set_stream(httplib::Response& response, Reply& reply) {
  response.set_chunked_content_provider(
      reply.type, [stream = std::move(reply.stream)](std::size_t, httplib::DataSink& sink) {
        stream([&](const std::string& line) { return sink.is_writable() && sink.write(line.data(), line.size()); });
        sink.done();
        return true;
      });
}

void send(Reply reply, httplib::Response& response) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  reply.stream ? set_stream(response, reply) : set_body(response, reply);
}

/// At most one byte more than is allowed is kept; what follows is dropped, so that the client can hear why.
std::string read_body(const httplib::ContentReader& reader, std::size_t allowed) {
  const Clock::time_point begin = Clock::now();
  std::string body;
  std::size_t seen = 0;
  reader([&](const char* bytes, std::size_t count) {
    seen += count;
    body.append(bytes, std::min(count, allowed + 1 - body.size()));
    return seen <= kMostSkipped && milliseconds_since(begin) < 1000 * kBodySeconds;
  });
  return body;
}

/// Looks up now and then while nobody asks, so that a stop() that came before the server ran is noticed.
class Threads : public httplib::ThreadPool {
 public:
  explicit Threads(std::function<void()> idle) : ThreadPool(kConnections), idle_(std::move(idle)) {}
  void on_idle() override { idle_(); }

 private:
  std::function<void()> idle_;
};

/// Lets many clients wait to be accepted: of the five that httplib has wait, a busy page alone would lose some.
class Transport : public httplib::Server {
 public:
  bool let_wait(int clients) { return ::listen(svr_sock_, clients) == 0; }
};

}  // namespace

struct Studio::Inside {
  explicit Inside(const Options& options) : limits(options.limits), app(options.limits, options.version) {
    server.new_task_queue = [this] { return new Threads([this] { end_if_stopped(); }); };
    server.set_idle_interval(0, 100'000);
    server.set_tcp_nodelay(true);
    server.set_keep_alive_max_count(1);
    server.set_read_timeout(kReadSeconds);
    server.set_write_timeout(kReadSeconds);
    // Only who listens at this moment keeps a port from us, not what an ended server left behind.
    server.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_routes();
    port = options.port == 0 ? server.bind_to_any_port("127.0.0.1")
                             : (server.bind_to_port("127.0.0.1", options.port) ? options.port : -1);
    if (port < 0)
      throw PortTaken("cannot listen on 127.0.0.1:" + std::to_string(options.port) +
                      "; another program may have the port: choose another by --port");
    server.let_wait(kWaiting);
    app.set_port(port);
  }

  void end_if_stopped() {
    if (stopped) server.stop();
  }

  void set_routes() {
    server.set_pre_routing_handler([this](const httplib::Request& from, httplib::Response& response) {
      if (from.path.size() <= kLongestPath && from.method == "POST") return httplib::Server::HandlerResponse::Unhandled;
      Request request = request_of(from, {});
      if (from.path.size() > kLongestPath) request.path = "/too/long";
      send(app.answer(request), response);
      return httplib::Server::HandlerResponse::Handled;
    });
    server.Post(
        ".*", [this](const httplib::Request& from, httplib::Response& response, const httplib::ContentReader& reader) {
          send(app.answer(request_of(from, read_body(reader, limits.body_bytes))), response);
        });
    server.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr failure) {
      send(reply(refusal_of(failure)), response);
    });
  }

  const Limits limits;
  App app;
  Transport server;
  int port = -1;
  std::atomic<bool> stopped = false;
};

Studio::Studio(const Options& options) : inside_(std::make_unique<Inside>(options)) {}

Studio::~Studio() { stop(); }

int Studio::port() const { return inside_->port; }

std::string Studio::address() const { return "http://127.0.0.1:" + std::to_string(port()) + "/"; }

bool Studio::has_page() const { return find_asset("index.html") != nullptr; }

void Studio::serve() {
  if (!inside_->stopped) inside_->server.listen_after_bind();
}

void Studio::stop() {
  inside_->stopped = true;
  inside_->app.cancel_all();
  inside_->end_if_stopped();
}

}  // namespace quench::studio
