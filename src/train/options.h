// What a training run is: the shape of the network, the words it sees, and how the optimiser walks. Plain data; two
// runs with equal options and equal rules end in the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/attention_kind.h"
#include "base/position_formula.h"

namespace quench::train {

/// The network without its weights. Every layer has the same heads.
struct Shape {
  std::size_t symbols = 0;  ///< of the rule; the embedding has one row more
  std::size_t width = 16;   ///< d, divisible by the number of heads
  std::size_t hidden = 32;  ///< ReLU units per layer
  std::size_t layers = 2;
  std::vector<Mask> masks = {Mask::future, Mask::future};  ///< one per head
  std::vector<PositionFormula> positions;                  ///< in coordinates 0, 1, …

  std::size_t heads() const { return masks.size(); }
  std::size_t head_width() const { return width / masks.size(); }
};

/// Where the loss is taken: at every position, or only at the one that decides whether the word is accepted.
enum class Target : std::uint8_t { every_position, last_position };

struct Options {
  std::size_t layers = 2, heads = 2, width = 16;
  std::size_t hidden = 0;  ///< 0: twice the width
  std::vector<std::string> positions = {"i/n", "1/i", "(-1)^i"};
  std::string mask;  ///< of all heads; "": `future`, and every second head `past` if the rule looks to the right

  std::size_t length = 40;   ///< words of length 1 … this
  std::size_t batch = 32;    ///< words per step
  bool unmentioned = false;  ///< words may also contain a symbol that the rule does not mention
  Target target = Target::every_position;

  std::size_t steps = 2000;
  std::uint64_t seed = 1;
  double rate = 5e-3;            ///< highest learning rate, reached after `warm_up` steps; then half a cosine
  std::size_t warm_up = 100;
  double last_rate = 0.01;       ///< what is left of it at the end, as a share
  double clip = 1;               ///< largest norm of a step's gradient
  double tau_from = 1, tau_to = 0.5;  ///< temperature, from warm to cold, over the first four fifths of the steps
  double entropy = 0;            ///< λ: > 0 penalises the entropy of attention, < 0 rewards it

  friend bool operator==(const Options&, const Options&) = default;
};

/// Throws UserError naming the option that makes no sense.
void check(const Options& options);

/// The options as one line of JSON: what a checkpoint keeps.
std::string to_json(const Options& options);

}  // namespace quench::train
