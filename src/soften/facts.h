// What is known about the hard-attention network on all words of one length: the gap of every head, how large
// everything gets, and on which pieces of its feed-forwards it works. However it was found (by enumeration, by interval
// analysis, by proof), the errors of the soft network follow from it (soften/errors.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/transformer.h"
#include "soften/parallel_units.h"

namespace quench::soften {

struct HeadFacts {
  bool uniform = false;      ///< every score is 0 by the weights alone
  double gap = kInfinity;    ///< of q·k/√d_k, a lower bound; infinite if no visible score is below a row's maximum
  bool ties = false;         ///< some row may have more than one maximum
  std::string where;         ///< the word and position of the smallest gap, if known
  std::vector<double> q, k;  ///< the greatest |component|
  std::vector<Interval> v;   ///< the values' components
};

struct LayerFacts {
  std::vector<double> in, middle;  ///< the greatest |coordinate| before the layer and after its attention
  std::vector<HeadFacts> heads;
  std::vector<std::vector<Interval>>
      groups;  ///< by group of parallel units and cell: where z can be; empty: low > high
};

struct LengthFacts {
  std::size_t n = 0;
  std::vector<LayerFacts> layers;
  std::vector<double> out;           ///< the greatest |coordinate| after the last layer
  bool boolean_outputs = true;       ///< every output coordinate is 0 or 1
  double half_distance = kInfinity;  ///< the least |output − ½|
};

/// A model with what is derived from its weights once.
struct Network {
  const model::Transformer& model;
  std::vector<std::vector<ParallelUnits>> units;  ///< by layer
  std::vector<std::uint32_t> outputs;             ///< coordinates that are read

  explicit Network(const model::Transformer& transformer);
};

/// Nothing known yet: merging with it changes nothing.
LengthFacts no_facts(const Network& network, std::size_t n);

/// Equal weight for every visible key, by the weights of the file alone.
bool is_uniform(const model::Head& head);
std::string head_name(const model::Transformer& model, std::size_t layer, std::size_t head);

}  // namespace quench::soften
