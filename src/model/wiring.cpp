#include "model/wiring.h"

#include <set>

namespace quench::model {
namespace {

/// Who lives where, and when.
class Register {
 public:
  explicit Register(const Transformer& model) : tenants_(model.tenants), of_(model.width) {
    for (std::size_t t = 0; t < tenants_.size(); ++t)
      if (tenants_[t].coordinate < of_.size()) of_[tenants_[t].coordinate].push_back(t);
  }

  /// Whoever moved in last before the sublayer: what is left of a dead tenant is read when it is cleared.
  Access reading(std::uint32_t coordinate, int sublayer) const {
    return latest(coordinate, [&](const Tenant& one) { return one.from < sublayer; });
  }
  /// Whoever is born here, or lives on; one that dies here is only cleared.
  Access writing(std::uint32_t coordinate, int sublayer) const {
    return latest(coordinate, [&](const Tenant& one) {
      return one.from == sublayer || (one.from < sublayer && sublayer < one.to);
    });
  }

 private:
  template <class Lives>
  Access latest(std::uint32_t coordinate, Lives lives) const {
    Access found{coordinate, std::nullopt};
    for (const std::size_t t : of_[coordinate])
      if (lives(tenants_[t]) && (!found.tenant || tenants_[*found.tenant].from < tenants_[t].from)) found.tenant = t;
    return found;
  }

  const std::vector<Tenant>& tenants_;
  std::vector<std::vector<std::size_t>> of_;  // by coordinate
};

std::vector<Access> reads(const Register& where, const SparseMatrix& matrix, int sublayer) {
  std::set<std::uint32_t> columns;
  for (const SparseMatrix::Row& row : matrix.rows)
    for (const SparseMatrix::Entry& entry : row) columns.insert(entry.column);
  std::vector<Access> result;
  for (const std::uint32_t column : columns) result.push_back(where.reading(column, sublayer));
  return result;
}

std::vector<UnitWiring> units_of(const Register& where, const FeedForward& ffn, int sublayer) {
  std::vector<UnitWiring> units(ffn.b1.size());
  for (std::size_t u = 0; u < units.size(); ++u)
    for (const SparseMatrix::Entry& entry : ffn.w1.rows[u])
      units[u].reads.push_back(where.reading(entry.column, sublayer));
  for (std::size_t row = 0; row < ffn.w2.rows.size(); ++row)
    for (const SparseMatrix::Entry& entry : ffn.w2.rows[row])
      units[entry.column].writes.push_back(where.writing(static_cast<std::uint32_t>(row), sublayer));
  return units;
}

HeadWiring wiring_of(const Register& where, const Head& head, int sublayer) {
  HeadWiring result{reads(where, head.q, sublayer), reads(where, head.k, sublayer), reads(where, head.v, sublayer), {}};
  for (std::size_t row = 0; row < head.o.rows.size(); ++row)
    if (!head.o.rows[row].empty()) result.writes.push_back(where.writing(static_cast<std::uint32_t>(row), sublayer));
  return result;
}

}  // namespace

std::vector<LayerWiring> wiring(const Transformer& model) {
  const Register where(model);
  std::vector<LayerWiring> layers;
  for (const Layer& layer : model.layers) {
    const int attention = static_cast<int>(2 * layers.size() + 1);
    LayerWiring& result = layers.emplace_back();
    for (const Head& head : layer.heads) result.heads.push_back(wiring_of(where, head, attention));
    result.units = units_of(where, layer.ffn, attention + 1);
  }
  return layers;
}

}  // namespace quench::model
