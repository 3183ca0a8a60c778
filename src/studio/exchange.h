// A request and its answer, as the studio sees them: nothing here knows how they travel.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quench::studio {

using Json = nlohmann::ordered_json;

struct Request {
  std::string method, path, body;
  std::string host, origin, fetch_site, content_type;  ///< headers; empty: there is none
};

/// Takes the lines of a stream. False: nobody listens any more.
using WriteLine = std::function<bool(const std::string& line)>;

struct Reply {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// If set, the body is what this writes, line by line, until it returns.
  std::function<void(const WriteLine&)> stream = {};
};

/// Ends a request with an error for people.
struct Refusal {
  int status = 400;
  std::string code, message;
  Json more = Json::object();  ///< further fields

  Json to_json() const {
    Json error{{"code", code}, {"message", message}};
    error.update(more);
    return Json{{"error", error}};
  }
};

inline Refusal refused(std::string message) { return {422, "refused", std::move(message)}; }
inline Refusal bad_request(std::string message, const std::string& field = {}) {
  Refusal refusal{400, "bad-request", std::move(message)};
  if (!field.empty()) refusal.more["field"] = field;
  return refusal;
}
/// `limit` is its name in the limits of /api/about.
template <class Number>
Refusal over_limit(std::string message, const char* limit, Number allowed, Number given) {
  return {422, "limit", std::move(message), Json{{"limit", limit}, {"allowed", allowed}, {"given", given}}};
}

/// JSON in which bytes that are no UTF-8 cannot end the program.
inline std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

inline Reply reply(const Json& json, int status = 200) { return {.status = status, .body = dump(json)}; }
inline Reply reply(const Refusal& refusal) { return reply(refusal.to_json(), refusal.status); }

}  // namespace quench::studio
