// Training a network of our architecture on words labelled by a rule: does it learn what the compiler writes down?
//
//   Trainer trainer(rule, options);
//   trainer.run_until(options.steps, [](const Progress& p) { … });
//   model::Transformer learnt = trainer.model();
//
// Everything is determined by the rule and the options: not by the threads, and not by how often the run was stopped
// and resumed (checkpoint.h).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lang/rule.h"
#include "model/transformer.h"
#include "train/network/adam.h"
#include "train/network/network.h"
#include "train/network/parameters.h"
#include "train/options.h"
#include "train/word_source.h"

namespace quench::train {

/// What a step saw.
struct Progress {
  std::size_t step = 0;  ///< steps done
  double loss = 0;       ///< binary cross-entropy of the step's batch, with the entropy term
  double accuracy = 0;   ///< share of positions (or words, with Target::last_position) that were right
  double rate = 0, tau = 0;
};

/// How many words are held out, all of length options.length.
inline constexpr std::size_t kHeldOut = 1000;

class Trainer {
 public:
  /// Throws UserError if the rule's values are not Booleans or the options make no sense.
  Trainer(lang::Rule rule, Options options);

  /// Takes steps until `step` of them are done, calling `report` after each.
  void run_until(std::size_t step, const std::function<void(const Progress&)>& report = {});

  /// The network as a model, the temperature and the readout folded into its weights.
  model::Transformer model() const;
  /// Words of the training length that no step ever sees.
  const std::vector<Lesson>& held_out() const { return held_out_; }
  const WordSource& words() const { return words_; }

  const lang::Rule& rule() const { return rule_; }
  const Options& options() const { return options_; }
  const Shape& shape() const { return shape_; }
  const Layout& layout() const { return layout_; }
  std::size_t steps_done() const { return adam_.steps; }

  /// What changes from step to step, for checkpoints.
  const std::vector<double>& parameters() const { return parameters_; }
  const Adam& adam() const { return adam_; }
  void restore(std::vector<double> parameters, Adam adam);

  /// The mean loss over some words at the present parameters, and its gradient.
  struct LossAndGradient {
    double loss = 0, accuracy = 0;
    std::vector<double> gradient;
  };
  LossAndGradient loss_and_gradient(std::span<const Lesson> lessons, double tau) const;

 private:
  /// Buffers that every step uses again.
  struct Workspace;
  LossAndGradient loss_and_gradient(std::span<const Lesson> lessons, double tau, Workspace& space) const;
  std::vector<Lesson> batch(std::size_t step) const;

  lang::Rule rule_;
  Options options_;
  Shape shape_;
  Layout layout_;
  WordSource words_;
  std::vector<Lesson> held_out_;
  std::vector<double> parameters_;
  Adam adam_;
};

}  // namespace quench::train
