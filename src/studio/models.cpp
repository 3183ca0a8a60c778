#include "studio/models.h"

#include <algorithm>
#include <cstdio>
#include <random>

namespace quench::studio {
namespace {

std::string random_name() {
  std::random_device device;
  char name[9];
  std::snprintf(name, sizeof name, "%08x", static_cast<unsigned>(device()));
  return name;
}

}  // namespace

Model KeptModel::model() const {
  const std::scoped_lock lock(mutex_);
  return with_certificate_ ? *with_certificate_ : inspection.model;
}

void KeptModel::learn(const Certificate& certificate) {
  Model with = with_certificate(inspection.model, certificate);
  const std::scoped_lock lock(mutex_);
  certificate_ = certificate;
  with_certificate_ = std::move(with);
}

std::optional<std::uint64_t> KeptModel::certified(Format format) const {
  const std::scoped_lock lock(mutex_);
  return certificate_ ? certificate_->length(format) : std::nullopt;
}

std::optional<std::string> KeptModel::certificate_json() const {
  const std::scoped_lock lock(mutex_);
  return certificate_ ? std::optional(certificate_->to_json()) : std::nullopt;
}

std::size_t KeptModel::bytes() const {
  std::size_t sum = 4096 + 64 * inspection.model.summary().nonzero_parameters;
  for (const Stage& stage : inspection.stages) {
    sum += stage.text.size();
    for (const Stage::Table& table : stage.tables)
      for (const auto& row : table.rows)
        for (const std::string& cell : row) sum += cell.size() + 40;
  }
  for (const Part& part : inspection.parts) sum += 200 + part.text.size();
  for (const Tenant& tenant : inspection.network.tenants) sum += 200 + tenant.name.size();
  return sum;
}

Models::Models(const Limits& limits) : limits_(limits), session_(random_name()) {}

std::list<Models::Entry>::iterator Models::used(std::list<Entry>::iterator entry) {
  entries_.splice(entries_.begin(), entries_, entry);
  return entries_.begin();
}

std::optional<Models::Found> Models::find_locked(const std::string& key) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
  if (entry == entries_.end()) return std::nullopt;
  used(entry);
  return Found{entries_.front().id, entries_.front().model};
}

std::optional<Models::Found> Models::find(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  return find_locked(key);
}

std::shared_ptr<KeptModel> Models::get(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.id == id; });
  if (entry == entries_.end()) throw Refusal{404, "unknown-model", "this model is not kept any more; compile it again"};
  return used(entry)->model;
}

Models::Found Models::keep(const std::string& key, std::shared_ptr<KeptModel> model) {
  const std::size_t bytes = model->bytes();
  const std::scoped_lock lock(mutex_);
  if (auto found = find_locked(key)) return *found;
  entries_.push_front({key, session_ + "-" + std::to_string(++made_), std::move(model), bytes});
  bytes_ += bytes;
  while (entries_.size() > 1 && (entries_.size() > limits_.models || bytes_ > limits_.model_bytes)) {
    bytes_ -= entries_.back().bytes;
    entries_.pop_back();
  }
  return {entries_.front().id, entries_.front().model};
}

}  // namespace quench::studio
