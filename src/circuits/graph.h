// The circuit as most of the literature draws it: heads, by their queries, keys and values, and whole feed-forwards.
//
// Who writes into the residual stream: embed, pos_embed, aL.hH (head H of layer L), mL (the feed-forward of layer L).
// Who reads it: aL.hH<q>, aL.hH<k>, aL.hH<v>, mL, logits. An edge is written "a0.h1->m0", "m0->a1.h0<q>". Whoever
// writes before another reads could be read: that is a candidate. Which candidates are true the circuit of
// exports::circuit_of says, coordinate by coordinate and unit by unit.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/transformer.h"

namespace quench::circuits {

struct Writer {
  std::string name;
  int sublayer = 0;  ///< in which it writes: 0 the embeddings, 2l+1 the attention and 2l+2 the feed-forward of layer l
};

struct Reader {
  std::string name;
  int sublayer = 0;                        ///< in which it reads
  std::vector<std::uint32_t> coordinates;  ///< that its weights are not zero for
};

struct Edge {
  std::size_t writer = 0, reader = 0;  ///< in the lists of the graph
  bool real = false;      ///< in the circuit, with something that is not the same at every position of every word
  bool constant = false;  ///< in the circuit, but with constants alone
  std::vector<std::uint32_t> coordinates;  ///< of the circuit's edges that it stands for, without constants, increasing
};

struct Graph {
  std::vector<Writer> writers;
  std::vector<Reader> readers;
  std::vector<Edge> edges;  ///< all candidates, by reader, then by writer

  std::string name(const Edge& edge) const { return writers[edge.writer].name + "->" + readers[edge.reader].name; }
};

Graph graph_of(const model::Transformer& model);

}  // namespace quench::circuits
