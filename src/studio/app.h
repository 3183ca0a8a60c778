// From a request to its reply: who may ask, which endpoint answers, what errors look like.
#pragma once

#include "studio/desk.h"
#include "studio/patience.h"

namespace quench::studio {

class App {
 public:
  App(const Limits& limits, std::string version);

  /// The server's own address, once it is known: the only one that requests may be for and come from.
  void set_port(int port) { port_ = port; }
  Reply answer(const Request& request);
  void cancel_all() { desk_.jobs.cancel_all(); }

 private:
  void check_sender(const Request& request) const;
  Reply route(const Request& request);
  Reply get(const std::string& path);
  Reply post(const Request& request);

  int port_ = 0;
  Desk desk_;
  Patience patience_;
};

}  // namespace quench::studio
