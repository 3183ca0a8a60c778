// The models that clients work with, the least recently used first to go: at most so many, and so many bytes.
#pragma once

#include <quench/quench.h>

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "studio/exchange.h"
#include "studio/limits.h"

namespace quench::studio {

/// What a compilation gave, and what has been learnt of it since. Shared by the requests that work on it, also when it
/// is no longer kept.
class KeptModel {
 public:
  KeptModel(Rule of, Inspection found) : rule(std::move(of)), inspection(std::move(found)) {}

  const Rule rule;
  const Inspection inspection;

  /// With its certificate, once there is one.
  Model model() const;
  void learn(const Certificate& certificate);
  /// The certified length in a format, if a certificate speaks of it.
  std::optional<std::uint64_t> certified(Format format) const;
  std::optional<std::string> certificate_json() const;

  std::size_t bytes() const;  ///< about
  const NetworkHead& head(const HeadIndex& index) const {
    return inspection.network.layers[index.layer].heads[index.head];
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Certificate> certificate_;
  std::optional<Model> with_certificate_;
};

class Models {
 public:
  explicit Models(const Limits& limits);

  struct Found {
    std::string id;
    std::shared_ptr<KeptModel> model;
  };
  /// By what it was compiled from.
  std::optional<Found> find(const std::string& key);
  /// By its id. Throws Refusal.
  std::shared_ptr<KeptModel> get(const std::string& id);
  /// Keeps a model; if another request was faster, that one.
  Found keep(const std::string& key, std::shared_ptr<KeptModel> model);

 private:
  struct Entry {
    std::string key, id;
    std::shared_ptr<KeptModel> model;
    std::size_t bytes;
  };
  std::list<Entry>::iterator used(std::list<Entry>::iterator entry);
  std::optional<Found> find_locked(const std::string& key);

  const Limits limits_;
  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the last used first
  std::size_t bytes_ = 0, made_ = 0;
  std::string session_;  ///< so that ids of an earlier server mean nothing here
};

}  // namespace quench::studio
