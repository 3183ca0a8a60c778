// Looking inside: the stages of a compilation, the network as a diagram, what it holds and attends to on a word, and
// what becomes of it when heads are switched off, values overwritten or temperatures changed.
//
// Layers, heads, coordinates and sublayers are counted from 0, positions from 1. Sublayer 0 is the embedding, 2l+1 the
// attention and 2l+2 the feed-forward of layer l.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quench/answer.h>
#include <quench/attention.h>
#include <quench/compile.h>
#include <quench/format.h>
#include <quench/model.h>
#include <quench/rule.h>

namespace quench::api {

/// A subformula of a rule, or a vector of a program.
struct Part {
  std::string operation;           ///< its outermost operator: "since", "&", "<="; "symbol", "predicate"; "rightmost"
  std::string text;                ///< its name, if it has one, otherwise the whole of it
  std::string name;                ///< what the rule calls it; empty: nothing
  std::size_t begin = 0, end = 0;  ///< bytes of the rule's text where it first occurs; both 0: nowhere
  std::vector<std::size_t> operands;  ///< the parts directly within it; they come before it
};

/// Operands come first. An automaton has none: its network is made from a formula, whose parts inspect() knows.
std::vector<Part> parts(const Rule& rule);

/// What a coordinate of the residual stream holds, from after sublayer `from` until sublayer `to`, the last that reads it.
/// Coordinates are used again, so one coordinate can have several tenants, one after the other.
struct Tenant {
  std::uint32_t coordinate = 0;
  std::string name;
  int from = 0, to = 0;
  bool boolean = false;             ///< exactly 0 or 1
  std::optional<double> low, high;  ///< proven range, if there is one
  std::vector<std::size_t> parts;   ///< of the rule that it stands for; empty: none, or not known
};

struct Access {
  std::uint32_t coordinate = 0;
  std::optional<std::size_t> tenant;  ///< in Network::tenants; nothing if it is not known, or only cleared
};

struct NetworkHead {
  std::string name;
  std::string mask, temperature;    ///< "future", "1/n"
  std::string weighting, intended;  ///< "soft"; what hard attention makes of it: "rhardmax", or "soft" if it stays
  std::string structure, lemma;     ///< the pattern it claims to be, and why it is sharp; empty: nothing is claimed
  double gamma = 0;                 ///< of that lemma
  std::size_t key_width = 0, value_width = 0;
  std::vector<Access> queries, keys, values, writes;
  std::vector<std::size_t> parts;
};

/// A hidden unit of a feed-forward sublayer.
struct NetworkUnit {
  double bias = 0;
  std::vector<Access> reads, writes;
  std::vector<std::size_t> parts;
};

/// An entry of a sparse row of weights; `index` is a coordinate or a component.
struct Weight {
  std::uint32_t index = 0;
  double value = 0;
};
using WeightRow = std::vector<Weight>;  ///< without zeros

struct NetworkLayer {
  std::vector<NetworkHead> heads;
  std::vector<NetworkUnit> units;
  WeightRow biases;  ///< that the feed-forward adds
};

struct NetworkEncoding {
  std::uint32_t coordinate = 0;
  std::string formula;  ///< "i/n"
};

struct Network {
  std::size_t width = 0, sublayers = 1;
  std::vector<std::string> symbols;
  std::vector<WeightRow> embedding;  ///< one more than symbols: the last is of every other symbol
  std::vector<NetworkEncoding> position_encodings;
  std::vector<Tenant> tenants;
  std::vector<NetworkLayer> layers;
  std::string output_kind;             ///< "boolean", "integer", "string", "scores", "whole", "ratios"
  std::vector<std::uint32_t> outputs;  ///< the coordinates that answers are read off
};

/// The diagram of any model; nothing in it stands for parts of a rule.
Network network(const Model& model);

struct HeadWeights {
  std::vector<WeightRow> q, k, v, o;  ///< by rows
};
struct FeedForwardWeights {
  std::vector<WeightRow> w1, w2;
  std::vector<double> b1, b2;
};
/// Throw UserError if there is no such head or layer.
HeadWeights head_weights(const Model& model, std::size_t layer, std::size_t head);
FeedForwardWeights feed_forward_weights(const Model& model, std::size_t layer);

/// A stage between text and weights, as `quench show` has it.
struct Stage {
  struct Table {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::vector<std::size_t>> parts;  ///< by row: what of the rule it is about
  };
  std::string name;  ///< "ast", "ir", "schedule", "layout", "model"
  std::string text;
  std::vector<Table> tables;
};

/// A compilation with everything that there is to see.
struct Inspection {
  Model model;
  std::vector<Part> parts;  ///< of the rule; for an automaton, of the formula that was found for it
  Network network;          ///< whose tenants, heads and units know their parts
  std::vector<Stage> stages;
};
/// As compile(); it throws what that throws.
Inspection inspect(const Rule& rule, const CompileOptions& options = {});

struct HeadIndex {
  std::size_t layer = 0, head = 0;
  friend bool operator==(const HeadIndex&, const HeadIndex&) = default;
};

/// Overwrites what the tenants of this name hold at a position, where they are born and before anything reads them.
struct Patch {
  std::string tenant;
  std::size_t position = 1;
  double value = 0;
};

struct TraceOptions {
  Format format = Format::f64;
  bool hard = false;                    ///< as RunOptions has it
  std::vector<HeadIndex> ablated = {};  ///< heads that contribute nothing
  std::vector<Patch> patches = {};
  std::optional<std::vector<HeadIndex>> attention = {};  ///< whose weights are wanted; unset: those of all heads
  bool values = true;                                    ///< whether the tenants' values are wanted
};

struct TracedHead {
  HeadIndex head;
  Matrix<double> weights;       ///< n × n, a row per query; 0 where the mask hides the key
  std::vector<double> entropy;  ///< by row, in nats; 0 for a row without keys
};

/// A tenant's values at its birth, and again after every sublayer at which they have changed.
struct TracedValues {
  std::size_t tenant = 0;  ///< in Network::tenants
  int sublayer = 0;
  std::vector<double> values;      ///< by position
  std::optional<double> distance;  ///< of Boolean tenants: the greatest distance from 0 and 1
};

struct Trace {
  std::vector<std::string> symbols;
  Answer answer;
  std::vector<double> raw;  ///< the (first) output coordinate
  std::vector<TracedHead> heads;
  std::vector<TracedValues> values;  ///< by sublayer
};

/// By the reference engine, at any length; with attention, of at most 4096 symbols. Words are written as for Runner.
/// Throws UserError for what does not exist.
Trace trace(const Model& model, std::string_view word, const TraceOptions& options = {});

/// The attention of heads as one SVG; `options.attention` says which.
std::string attention_svg(const Model& model, std::string_view word, const TraceOptions& options = {});

/// The same network with every head's temperature times a factor: above 1 warmer, towards 0 colder; infinity makes
/// every head look at all that its mask shows alike. Without a certificate. Throws UserError unless the factor is above
/// 0.
Model warmed(const Model& model, double factor);
/// The same network, whose heads keep for words of every length the temperature that they have at this one, as an
/// ordinary transformer does. Without a certificate. Throws UserError if the length is 0.
Model with_fixed_temperature(const Model& model, std::uint64_t length);

}  // namespace quench::api
