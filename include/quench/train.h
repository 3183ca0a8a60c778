// Networks of the same architecture, trained on words that a rule labels (docs/training.md): does a network learn what
// the compiler writes down?
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <quench/model.h>
#include <quench/rule.h>

namespace quench::api {

struct TrainProgress {
  std::size_t step = 0;  ///< steps done
  double loss = 0;
  double accuracy = 0;  ///< of the step's batch
};

struct TrainOptions {
  std::size_t layers = 2, heads = 2, width = 16;
  std::size_t hidden = 0;  ///< 0: twice the width
  std::vector<std::string> positions = {"i/n", "1/i", "(-1)^i"};
  std::string mask = {};  ///< of all heads; "": future, and every second head past if the rule looks to the right

  std::size_t length = 40;   ///< words of length 1 to this
  std::size_t batch = 32;    ///< words per step
  bool unmentioned = false;  ///< words may contain a symbol that the rule does not mention
  bool last_only = false;    ///< learn from the last position only
  std::size_t steps = 2000;
  std::uint64_t seed = 1;
  double rate = 5e-3;                 ///< highest learning rate; warms up, then falls along a cosine
  double clip = 1;                    ///< largest norm of a step's gradient
  double tau_from = 1, tau_to = 0.5;  ///< temperature of attention, from warm to cold
  double entropy = 0;                 ///< weight of attention's entropy in the loss
  /// Called after every step, by the calling thread; what it throws ends the training.
  std::function<void(const TrainProgress&)> progress = {};
};

/// How often a model says what the rule says.
struct Accuracy {
  std::uint64_t words = 0;
  double of_words = 0;      ///< by the last position
  double of_positions = 0;  ///< by every position
};

struct Trained {
  Model model;
  TrainProgress last;  ///< of the last step
  Accuracy held_out;   ///< on words of the greatest length that no step saw
  std::size_t parameters = 0;
};

/// The same bits for the same rule and options. Throws UserError if the rule's values are not Booleans or an option
/// makes no sense.
Trained train(const Rule& rule, const TrainOptions& options = {});

/// On random words of one length, half of them accepted where that can be had. `progress` is called after every word,
/// from any thread; what it throws ends the work. Throws UserError for rules whose values are not Booleans, and for
/// models over other symbols than the rule's.
Accuracy accuracy(const Rule& rule, const Model& model, std::size_t length, std::size_t words = 500,
                  std::uint64_t seed = 1,
                  const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

}  // namespace quench::api
