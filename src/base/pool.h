// Interning pool: equal nodes get one id. Children are added before parents, so a loop over ids is a topological order.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "base/id.h"

namespace quench {

template <class Node, class Tag>
class Pool {
 public:
  using IdType = Id<Tag>;

  /// The id of `node`, adding it if no equal node is there yet.
  IdType intern(const Node& node) {
    auto [it, added] = ids_.try_emplace(node, IdType(nodes_.size()));
    if (added) nodes_.push_back(node);
    return it->second;
  }

  const Node& operator[](IdType id) const { return nodes_[id.index]; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::vector<Node> nodes_;
  std::unordered_map<Node, IdType, StructuralHash<Node>> ids_;
};

}  // namespace quench
