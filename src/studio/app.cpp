#include "studio/app.h"

#include <algorithm>
#include <array>
#include <thread>

#include "studio/assets.h"

namespace quench::studio {
namespace {

using Endpoint = Reply (*)(Desk&, Fields&);

template <Json (*endpoint)(Desk&, Fields&)>
Reply as_json(Desk& desk, Fields& fields) {
  return reply(endpoint(desk, fields));
}
template <Json (*endpoint)(const Desk&, Fields&)>
Reply as_json(Desk& desk, Fields& fields) {
  return reply(endpoint(desk, fields));
}

Reply cancel(Desk& desk, Fields& fields) {
  const std::string job = fields.text("job");
  fields.done();
  return reply(Json{{"cancelled", desk.jobs.cancel(job)}});
}

struct Route {
  std::string_view path;
  Endpoint endpoint;
};
constexpr std::array<Route, 11> kRoutes{{{"/api/parse", as_json<parse>},
                                         {"/api/compile", as_json<compile>},
                                         {"/api/weights", as_json<weights>},
                                         {"/api/word", as_json<word>},
                                         {"/api/certify", certify},
                                         {"/api/verify", verify},
                                         {"/api/failure", failure},
                                         {"/api/length", length},
                                         {"/api/cancel", cancel},
                                         {"/api/attention.svg", attention_picture},
                                         {"/api/command", as_json<command>}}};

constexpr std::string_view kModels = "/api/models/";
constexpr std::string_view kNoPage =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Quench studio</title>"
    "<h1>The page is not part of this program</h1>"
    "<p>It is built from <code>web/</code>, which needs Node.js and npm: run <code>make web</code> and then "
    "<code>make build</code>. The HTTP interface works without it; <code>docs/studio.md</code> describes "
    "it.</p></html>";

Refusal not_found() { return {404, "not-found", "there is nothing at this address"}; }

/// Those of one answer that are not the transport's.
void add_headers(Reply& reply) {
  static constexpr const char* kPolicy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
      "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  reply.headers.emplace_back("Content-Security-Policy", kPolicy);
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  reply.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  reply.headers.emplace_back("Cache-Control", "no-store");
}

bool is_json(const std::string& content_type) {
  std::string kind = content_type.substr(0, content_type.find(';'));
  kind.erase(kind.find_last_not_of(" \t") + 1);
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  return kind == "application/json";
}

std::size_t thread_count() { return std::max(2U, std::thread::hardware_concurrency()) + 2; }

}  // namespace

App::App(const Limits& limits, std::string version) : desk_(limits, std::move(version)), patience_(thread_count()) {}

void App::check_sender(const Request& request) const {
  const std::string number = ":" + std::to_string(port_);
  const auto ours = [&](const std::string& host) {
    return host == "127.0.0.1" + number || host == "localhost" + number;
  };
  const std::string scheme = "http://";
  const bool origin_ours =
      request.origin.empty() || (request.origin.starts_with(scheme) && ours(request.origin.substr(scheme.size())));
  const bool site_ours =
      request.fetch_site.empty() || request.fetch_site == "same-origin" || request.fetch_site == "none";
  if (!ours(request.host) || !origin_ours || !site_ours)
    throw Refusal{403, "foreign", "only the studio's own page may ask"};
}

Reply App::answer(const Request& request) {
  Reply result;
  try {
    check_sender(request);
    result = route(request);
  } catch (...) {
    result = reply(refusal_of(std::current_exception()));
  }
  add_headers(result);
  return result;
}

Reply App::route(const Request& request) {
  if (!request.path.starts_with('/')) throw not_found();
  if (request.method == "GET") return get(request.path);
  if (request.method == "POST") return post(request);
  Refusal refusal{405, "method", "only GET and POST are taken here"};
  return reply(refusal);
}

Reply App::get(const std::string& path) {
  if (path == "/api/about") return reply(about(desk_));
  if (path.starts_with(kModels))
    return patience_.within(desk_.limits.seconds, [this, path] {
      try {
        return download(desk_, path.substr(kModels.size()));
      } catch (...) {
        return reply(refusal_of(std::current_exception()));
      }
    });
  if (std::any_of(kRoutes.begin(), kRoutes.end(), [&](const Route& one) { return one.path == path; }))
    throw Refusal{405, "method", "this address takes POST"};
  const std::string name = path == "/" ? "index.html" : path.substr(1);
  if (const Asset* asset = find_asset(name))
    return {.type = std::string(asset->type), .body = std::string(asset->content)};
  if (path == "/") return {.type = "text/html; charset=utf-8", .body = std::string(kNoPage)};
  throw not_found();
}

Reply App::post(const Request& request) {
  const auto route =
      std::find_if(kRoutes.begin(), kRoutes.end(), [&](const Route& r) { return r.path == request.path; });
  if (route == kRoutes.end()) {
    if (request.path == "/api/about" || request.path == "/" || find_asset(request.path.substr(1)))
      throw Refusal{405, "method", "this address takes GET"};
    throw not_found();
  }
  if (!is_json(request.content_type)) throw Refusal{415, "content-type", "the body has to be application/json"};
  if (request.body.size() > desk_.limits.body_bytes)
    throw Refusal{413, "too-large", "the body is too long",
                  Json{{"limit", "body_bytes"}, {"allowed", desk_.limits.body_bytes}}};
  return patience_.within(desk_.limits.seconds, [this, endpoint = route->endpoint, body = request.body] {
    try {
      Fields fields(body);
      return endpoint(desk_, fields);
    } catch (...) {
      return reply(refusal_of(std::current_exception()));
    }
  });
}

}  // namespace quench::studio
