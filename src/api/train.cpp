#include <quench/train.h>

#include <algorithm>
#include <atomic>

#include "api/convert.h"
#include "api/inside.h"
#include "lang/print/print_rule.h"
#include "train/accuracy.h"
#include "train/trainer.h"

namespace quench::api {
namespace {

train::Options inside_options(const TrainOptions& options) {
  train::Options result;
  result.layers = options.layers;
  result.heads = options.heads;
  result.width = options.width;
  result.hidden = options.hidden;
  result.positions = options.positions;
  result.mask = options.mask;
  result.length = options.length;
  result.batch = options.batch;
  result.unmentioned = options.unmentioned;
  if (options.last_only) result.target = train::Target::last_position;
  result.steps = options.steps;
  result.seed = options.seed;
  result.rate = options.rate;
  result.clip = options.clip;
  result.tau_from = options.tau_from;
  result.tau_to = options.tau_to;
  result.entropy = options.entropy;
  train::check(result);
  return result;
}

Accuracy outside(const train::Accuracy& found) { return {found.words, found.of_words(), found.of_positions()}; }

}  // namespace

Trained train(const Rule& rule, const TrainOptions& options) {
  return translated([&] {
    const lang::Rule& source = rule.inside().rule;
    train::Trainer trainer(source, inside_options(options));
    TrainProgress last;
    trainer.run_until(options.steps, [&](const train::Progress& progress) {
      last = {progress.step, progress.loss, progress.accuracy};
      if (options.progress) options.progress(last);
    });
    model::Transformer learnt = trainer.model();
    learnt.source = std::holds_alternative<lang::Automaton>(source) ? lang::print(source) : rule.inside().text;
    const Accuracy held_out = outside(train::measure_accuracy(learnt, trainer.held_out()));
    return Trained{Model(std::make_shared<const Model::Inside>(Model::Inside{std::move(learnt), std::nullopt})), last,
                   held_out, trainer.layout().size};
  });
}

Accuracy accuracy(const Rule& rule, const Model& model, std::size_t length, std::size_t words, std::uint64_t seed,
                  const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return translated([&] {
    const lang::Rule& source = rule.inside().rule;
    const model::Transformer& network = model.inside().model;
    if (network.alphabet.symbols() != lang::alphabet(source).symbols())
      throw quench::UserError("the model's symbols are not those of the rule");
    if (length == 0 || words == 0) throw quench::UserError("accuracy is of at least one word of at least one symbol");
    std::atomic<std::uint64_t> done = 0;
    const auto after_word = [&] {
      if (progress) progress(++done, words);
    };
    const train::WordSource drawn(source, false);
    constexpr std::size_t kAtOnce = 64;  // words that are kept
    train::Accuracy total;
    for (std::size_t first = 0; first < words; first += kAtOnce)
      total += train::measure_accuracy(network, drawn.draw_many(seed, std::min(kAtOnce, words - first), length, first),
                                       {}, after_word);
    return outside(total);
  });
}

}  // namespace quench::api
