#include "train/trainer.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "lang/looks_right.h"
#include "train/network/to_model.h"
#include "train/schedule.h"

namespace quench::train {
namespace {

constexpr std::size_t kShare = 4;  // words whose gradients are summed by one thread, in order
constexpr std::uint64_t kHeldOutStream = 0x68656c64, kWordStream = 0x776f7264;

Shape shape_of(const lang::Rule& rule, const Options& options) {
  check(options);
  Shape shape;
  shape.symbols = lang::alphabet(rule).size();
  shape.width = options.width;
  shape.hidden = options.hidden == 0 ? 2 * options.width : options.hidden;
  shape.layers = options.layers;
  shape.masks.assign(options.heads, Mask::future);
  if (!options.mask.empty()) {
    shape.masks.assign(options.heads, *mask_from(options.mask));
  } else if (lang::looks_right(rule)) {
    for (std::size_t h = 1; h < options.heads; h += 2) shape.masks[h] = Mask::past;
  }
  for (const std::string& name : options.positions) shape.positions.push_back({*position_kind_from(name), {}});
  return shape;
}

/// ln(1 + e^z) − label·z, and its derivative σ(z) − label; neither overflows.
struct CrossEntropy {
  double loss, slope;
  CrossEntropy(double z, bool label) {
    const double e = std::exp(-std::abs(z));
    loss = std::max(z, 0.0) + std::log1p(e) - (label ? z : 0);
    slope = (z >= 0 ? 1 / (1 + e) : e / (1 + e)) - (label ? 1 : 0);
  }
};

/// What one thread has summed, and what it needs for that.
struct Share {
  double loss = 0;
  double right = 0;
  std::vector<double> gradient;
  Tape tape;
  std::vector<double> d_logits;
};

/// Adds one word's loss and gradient, each times `weight`.
void learn(const Network& network, const Lesson& lesson, const Options& options, double weight, Share& share) {
  Tape& tape = share.tape;
  network.forward(lesson.word, tape);
  const std::size_t n = lesson.word.size(), first = options.target == Target::last_position ? n - 1 : 0;
  const double per_position = weight / static_cast<double>(n - first);
  std::vector<double>& d_logits = share.d_logits;
  d_logits.assign(n, 0.0);
  for (std::size_t i = first; i < n; ++i) {
    const bool label = lesson.labels[i] != 0;
    const CrossEntropy entropy(tape.logits[i], label);
    share.loss += per_position * entropy.loss;
    share.right += (tape.logits[i] >= 0) == label ? per_position : 0;
    d_logits[i] = per_position * entropy.slope;
  }
  share.loss += weight * options.entropy * tape.entropy;
  network.backward(lesson.word, tape, {d_logits, weight * options.entropy}, share.gradient);
}

}  // namespace

struct Trainer::Workspace {
  std::vector<double> transposed;
  std::vector<Share> shares;
};

Trainer::Trainer(lang::Rule rule, Options options)
    : rule_(std::move(rule)),
      options_(std::move(options)),
      shape_(shape_of(rule_, options_)),
      layout_(lay_out(shape_)),
      words_(rule_, options_.unmentioned),
      parameters_(initial_parameters(shape_, layout_, options_.seed)),
      adam_(layout_.size) {
  held_out_ = words_.draw_many(options_.seed ^ kHeldOutStream, kHeldOut, options_.length);
  words_.hold_out(held_out_);
}

std::vector<Lesson> Trainer::batch(std::size_t step) const {
  std::vector<Lesson> lessons(options_.batch);
  tbb::parallel_for(std::size_t{0}, lessons.size(), [&](std::size_t index) {
    Random random = random_for(options_.seed ^ kWordStream, step, index);
    const std::size_t length = 1 + random.below(options_.length);
    lessons[index] = words_.draw(random, length, index % 2 == 1);
  });
  return lessons;
}

Trainer::LossAndGradient Trainer::loss_and_gradient(std::span<const Lesson> lessons, double tau) const {
  Workspace space;
  return loss_and_gradient(lessons, tau, space);
}

Trainer::LossAndGradient Trainer::loss_and_gradient(std::span<const Lesson> lessons, double tau,
                                                    Workspace& space) const {
  transpose_all(layout_, parameters_, space.transposed);
  const Network network(shape_, layout_, parameters_, space.transposed, tau);
  std::vector<Share>& shares = space.shares;
  shares.resize((lessons.size() + kShare - 1) / kShare);
  const double weight = 1 / static_cast<double>(lessons.size());
  tbb::parallel_for(std::size_t{0}, shares.size(), [&](std::size_t s) {
    shares[s].loss = shares[s].right = 0;
    shares[s].gradient.assign(layout_.size, 0.0);
    for (std::size_t w = s * kShare; w < std::min((s + 1) * kShare, lessons.size()); ++w)
      learn(network, lessons[w], options_, weight, shares[s]);
  });
  LossAndGradient total{0, 0, std::vector<double>(layout_.size, 0.0)};
  for (const Share& share : shares) {  // in order: the threads cannot change the sum
    total.loss += share.loss;
    total.accuracy += share.right;
    for (std::size_t p = 0; p < layout_.size; ++p) total.gradient[p] += share.gradient[p];
  }
  return total;
}

void Trainer::run_until(std::size_t step, const std::function<void(const Progress&)>& report) {
  Workspace space;
  while (steps_done() < std::min(step, options_.steps)) {
    const std::size_t now = steps_done();
    const double tau = temperature(options_, now), rate = learning_rate(options_, now);
    LossAndGradient found = loss_and_gradient(batch(now), tau, space);
    const double norm = clip(found.gradient, options_.clip);
    if (!std::isfinite(norm)) throw UserError("training diverged; try a lower learning rate (--lr)");
    adam_.step(parameters_, found.gradient, rate);
    if (report) report({steps_done(), found.loss, found.accuracy, rate, tau});
  }
}

model::Transformer Trainer::model() const {
  return to_model(shape_, layout_, parameters_, temperature(options_, steps_done()), lang::alphabet(rule_));
}

void Trainer::restore(std::vector<double> parameters, Adam adam) {
  QUENCH_ASSERT(parameters.size() == layout_.size && adam.mean.size() == layout_.size);
  parameters_ = std::move(parameters);
  adam_ = std::move(adam);
}

}  // namespace quench::train
