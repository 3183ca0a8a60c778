// The studio: a server on this machine that answers a page's questions about rules and networks (docs/studio.md). It
// stands on the public headers alone. Used by `quench studio`.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "studio/limits.h"

namespace quench::studio {

struct Options {
  int port = 0;  ///< 0: any that is free
  std::string version;
  Limits limits = {};
};

struct PortTaken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Studio {
 public:
  /// Listens on 127.0.0.1 from here on. Throws PortTaken.
  explicit Studio(const Options& options);
  /// Ends what is under way.
  ~Studio();

  int port() const;
  std::string address() const;  ///< "http://127.0.0.1:8137/"
  bool has_page() const;        ///< whether the page is part of the program
  /// Answers requests until stop().
  void serve();
  /// From any thread; also before serve().
  void stop();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace quench::studio
