// A model as the reference executor wants it: weights rounded to the storage format, rows flattened, zeros gone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/attention_kind.h"
#include "base/number/matrix.h"
#include "run/reference/reference.h"

namespace quench::run {

/// The nonzero rows of a matrix, one after the other.
struct FlatRows {
  struct Row {
    std::uint32_t index;        ///< which row of the matrix
    std::uint32_t first, last;  ///< its entries [first, last)

    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;
  std::vector<SparseMatrix::Entry> entries;
};

struct HeadPlan {
  Mask mask = Mask::none;
  Temperature temperature = Temperature::one;
  Weighting weighting = Weighting::soft;
  std::size_t components = 0;  ///< of q and k, those left out in which one of the two is always 0
  std::size_t d_v = 0;
  double score_scale = 1;  ///< 1/√d_k, d_k counting all components
  FlatRows q, k;           ///< rows numbered by component
  FlatRows v;
  std::size_t mixed_offset = 0;  ///< where its d_v outputs stand among those of the layer's heads
  double greatest_mix = 0;       ///< |W_O|
};

/// One residual coordinate that some head of the layer writes: a sum over heads of sums over entries of W_O.
struct MixTarget {
  struct Part {
    std::uint32_t head;
    std::uint32_t first, last;  ///< entries; their columns index the outputs of all heads of the layer
  };
  std::uint32_t coordinate;
  std::vector<Part> parts;
};

struct LayerPlan {
  std::vector<HeadPlan> heads;
  std::size_t mixed_width = 0;  ///< Σ_heads d_v
  std::vector<MixTarget> targets;
  std::vector<SparseMatrix::Entry> target_entries;

  std::size_t hidden_width = 0;  ///< m
  FlatRows w1;
  std::vector<double> b1;
  FlatRows w2;             ///< every coordinate the feed-forward writes, those with only a bias too
  std::vector<double> b2;  ///< aligned with w2.rows
};

struct ReferencePlan {
  std::uint64_t serial = 0;  ///< distinguishes plans, so that a workspace knows whose tables it holds
  Options options;
  std::size_t symbols = 0, width = 0, output = 0;
  std::vector<SparseMatrix::Row> embedding;  ///< the last row is the unmentioned symbol
  std::vector<model::PositionEncoding> position_encodings;
  std::vector<LayerPlan> layers;
};

ReferencePlan make_reference_plan(const model::Transformer& transformer, const Options& options);

}  // namespace quench::run
