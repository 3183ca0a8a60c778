// The gradient of the whole network, loss included, against central differences.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cmath>

#include "attention/numeric.h"
#include "attention/score/product.h"
#include "driver/compile.h"
#include "train/trainer.h"

namespace quench::train {
namespace {

/// How close the nearest ReLU is to its kink, over all positions of these words.
double distance_from_kinks(const Trainer& trainer, const std::vector<Lesson>& lessons, double tau) {
  std::vector<double> transposed;
  transpose_all(trainer.layout(), trainer.parameters(), transposed);
  const std::span<const double> parameters = trainer.parameters();
  const Network network(trainer.shape(), trainer.layout(), parameters, transposed, tau);
  Tape tape;
  double least = 1;
  for (const Lesson& lesson : lessons) {
    network.forward(lesson.word, tape);
    for (std::size_t l = 0; l < tape.layers.size(); ++l) {
      const LayerBlocks& blocks = trainer.layout().layers[l];
      Matrix before = attention::product(tape.layers[l].middle, blocks.w1.in(parameters));
      for (std::size_t i = 0; i < before.rows; ++i)
        for (std::size_t unit = 0; unit < before.cols; ++unit)
          least = std::min(least, std::abs(before(i, unit) + blocks.b1.in(parameters)(0, unit)));
    }
  }
  return least;
}

std::vector<Lesson> five_lessons(const Trainer& trainer) {
  std::vector<Lesson> lessons;
  for (std::size_t index = 0; index < 5; ++index) {
    Random random = random_for(trainer.options().seed, 7, index);
    lessons.push_back(trainer.words().draw(random, 1 + index, index % 2 == 0));
  }
  return lessons;
}

/// Moves the parameters (biases too, which start at 0) to where no ReLU is within 4e-3 of its kink: the differences
/// below step by 2e-4 at most, and activations are a few units large.
void move_away_from_kinks(Trainer& trainer, const std::vector<Lesson>& lessons, double tau) {
  const std::vector<double> start = trainer.parameters();
  Random random(trainer.options().seed + 100);
  do {
    std::vector<double> moved = start;
    for (double& p : moved) p += 0.2 * (random.unit() - 0.5);
    trainer.restore(moved, Adam(moved.size()));
  } while (distance_from_kinks(trainer, lessons, tau) < 4e-3);
}

void expect_gradient(const Options& options, double tau) {
  const lang::Formula rule = driver::parse("Q_a since (Q_b | Q_c)");
  Trainer trainer(rule, options);
  const std::vector<Lesson> lessons = five_lessons(trainer);
  move_away_from_kinks(trainer, lessons, tau);
  std::vector<double> parameters = trainer.parameters();
  const auto at_parameters = [&] {
    trainer.restore(parameters, Adam(parameters.size()));
    return trainer.loss_and_gradient(lessons, tau);
  };
  const std::vector<double> exact = at_parameters().gradient;
  std::vector<double> error;
  tbb::task_arena(1).execute([&] {  // far too little work for threads
    error = attention::testing::differences(
        parameters, [&] { return at_parameters().loss; }, 1e-4);
  });
  for (std::size_t p = 0; p < exact.size(); ++p) error[p] -= exact[p];
  // Block by block, so that a small matrix cannot hide behind a large one.
  for (const Block& block : trainer.layout().blocks()) {
    const auto part = [&](const std::vector<double>& all) {
      return attention::testing::norm(std::span(all).subspan(block.offset, block.rows * block.cols));
    };
    EXPECT_LT(part(error), 1e-6 * part(exact) + 1e-10) << "block at " << block.offset;
  }
}

Options tiny(std::uint64_t seed) {
  Options options;
  options.layers = 2;
  options.heads = 2;
  options.width = 6;
  options.hidden = 5;
  options.length = 6;
  options.seed = seed;
  return options;
}

TEST(WholeGradient, AgreesWithDifferencesUnderEveryMask) {
  std::uint64_t seed = 1;
  for (const char* mask : {"none", "future", "past", "strict_future", "strict_past"}) {
    SCOPED_TRACE(mask);
    Options options = tiny(seed++);
    options.mask = mask;
    expect_gradient(options, 0.7);
  }
}

TEST(WholeGradient, AgreesWithDifferencesForEveryLoss) {
  for (const double entropy : {0.0, 0.3, -0.3})
    for (const Target target : {Target::every_position, Target::last_position}) {
      SCOPED_TRACE(entropy);
      Options options = tiny(11);
      options.entropy = entropy;
      options.target = target;
      expect_gradient(options, 1.3);
    }
}

TEST(WholeGradient, AgreesWithDifferencesForOtherShapes) {
  Options deep = tiny(21);
  deep.layers = 4;
  deep.heads = 1;
  deep.positions = {"i/n", "1/(n-i+1)"};
  expect_gradient(deep, 1);
  Options flat = tiny(22);
  flat.layers = 1;
  flat.heads = 3;
  flat.unmentioned = true;
  flat.positions = {};
  expect_gradient(flat, 0.4);
}

}  // namespace
}  // namespace quench::train
