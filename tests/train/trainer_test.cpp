// What a training run promises: it learns, it is reproducible to the bit, and the saved model says what it says.
#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <fstream>

#include "base/error.h"
#include "driver/compile.h"
#include "model/file.h"
#include "run/reference/reference.h"
#include "support/examples.h"
#include "support/shell.h"
#include "train/accuracy.h"
#include "train/checkpoint.h"
#include "train/schedule.h"

namespace quench::train {
namespace {

using ::testing::HasSubstr;

Options small() {
  Options options;
  options.width = 8;
  options.length = 12;
  options.batch = 8;
  options.steps = 60;
  return options;
}

const lang::Formula& contains_ab() {
  static const lang::Formula rule = driver::parse("O (Q_b & prev Q_a)");
  return rule;
}

template <class Error>
void expect_error(const std::function<void()>& work, const char* text) {
  try {
    work();
    ADD_FAILURE() << "no error, expected: " << text;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

TEST(Trainer, LossFalls) {
  Options options = small();
  options.steps = 200;
  Trainer trainer(contains_ab(), options);
  std::vector<double> losses;
  trainer.run_until(options.steps, [&](const Progress& progress) { losses.push_back(progress.loss); });
  ASSERT_EQ(losses.size(), 200u);
  const auto mean = [&](std::size_t from) {
    double sum = 0;
    for (std::size_t s = from; s < from + 20; ++s) sum += losses[s] / 20;
    return sum;
  };
  EXPECT_LT(mean(180), mean(0) / 3);
  EXPECT_GT(measure_accuracy(trainer.model(), trainer.held_out()).of_words(), 0.9);
}

TEST(Trainer, ResumedRunsEndInTheSameBits) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "run.checkpoint";
  Trainer straight(contains_ab(), small());
  straight.run_until(60);
  Trainer first(contains_ab(), small());
  first.run_until(30);
  save_checkpoint(first, file);
  Trainer second(contains_ab(), small());
  load_checkpoint(second, file);
  EXPECT_EQ(second.steps_done(), 30u);
  second.run_until(60);
  EXPECT_EQ(second.parameters(), straight.parameters());
  EXPECT_EQ(second.adam().mean, straight.adam().mean);
  EXPECT_EQ(second.adam().square, straight.adam().square);
  EXPECT_EQ(second.model(), straight.model());
}

TEST(Trainer, ResultsDoNotDependOnTheThreads) {
  const auto train_with = [](int threads) {
    std::vector<double> parameters;
    tbb::task_arena(threads).execute([&] {
      Trainer trainer(contains_ab(), small());
      trainer.run_until(20);
      parameters = trainer.parameters();
    });
    return parameters;
  };
  const std::vector<double> alone = train_with(1);
  EXPECT_EQ(train_with(2), alone);
  EXPECT_EQ(train_with(5), alone);
}

TEST(Trainer, SeedsDiffer) {
  Options other = small();
  other.seed = 2;
  EXPECT_NE(Trainer(contains_ab(), small()).parameters(), Trainer(contains_ab(), other).parameters());
}

// The readout is folded into the last feed-forward and τ into W_Q: the saved model's output is ½ + logit.
TEST(Trainer, TheSavedModelSaysWhatTheNetworkSays) {
  const test::TemporaryDirectory directory;
  Options options = small();
  options.unmentioned = true;
  options.tau_from = 2;
  options.tau_to = 0.25;
  Trainer trainer(contains_ab(), options);
  trainer.run_until(options.steps);
  model::save(trainer.model(), directory.path() / "model.safetensors");
  const model::Transformer model = model::load(directory.path() / "model.safetensors");
  std::vector<double> transposed;
  transpose_all(trainer.layout(), trainer.parameters(), transposed);
  const Network network(trainer.shape(), trainer.layout(), trainer.parameters(), transposed, options.tau_to);
  Tape tape;
  for (std::size_t index = 0; index < 20; ++index) {
    const Word& word = trainer.held_out()[index].word;
    network.forward(word, tape);
    const std::vector<double> outputs = run::outputs(model, word);
    for (std::size_t i = 0; i < word.size(); ++i) EXPECT_NEAR(outputs[i], 0.5 + tape.logits[i], 1e-11);
  }
}

TEST(Trainer, HeldOutWordsAreNeverDrawn) {
  WordSource words(contains_ab(), false);
  const std::vector<Lesson> held_out = words.draw_many(1, 50, 5);
  words.hold_out(held_out);
  std::set<Word> seen;
  for (std::size_t index = 0; index < 500; ++index) {
    Random random = random_for(2, 0, index);
    seen.insert(words.draw(random, 5, index % 2 == 0).word);
  }
  for (const Lesson& lesson : held_out) EXPECT_FALSE(seen.contains(lesson.word));
}

TEST(Trainer, WordsAreBalancedHoweverRareTheRule) {
  for (const char* text : {"O (Q_b & prev Q_a)", "#<[Q_1] > #<[Q_0]", "H Q_a | H Q_b"}) {
    const lang::Formula rule = driver::parse(text);
    for (const std::size_t length : {40, 400}) {
      std::size_t accepted = 0;
      for (const Lesson& lesson : WordSource(rule, false).draw_many(3, 200, length)) accepted += lesson.labels.back();
      EXPECT_GE(accepted, 90u) << text << " at " << length;
      EXPECT_LE(accepted, 110u) << text << " at " << length;
    }
  }
}

TEST(Trainer, RulesThatLookRightGetHeadsThatDo) {
  EXPECT_EQ(Trainer(contains_ab(), small()).shape().masks, (std::vector{Mask::future, Mask::future}));
  for (const char* text : {"next Q_a", "Q_a until Q_b", "#>[Q_a] > 2", "#[Q_a] > 2", "odd(#>[Q_a])"}) {
    const lang::Formula rule = driver::parse(text);
    EXPECT_EQ(Trainer(rule, small()).shape().masks, (std::vector{Mask::future, Mask::past})) << text;
  }
}

TEST(Trainer, SchedulesWarmUpCoolDownAndAnneal) {
  Options options;
  options.steps = 1000;
  options.warm_up = 100;
  options.tau_from = 4;
  options.tau_to = 0.25;
  EXPECT_DOUBLE_EQ(learning_rate(options, 49), options.rate / 2);
  EXPECT_DOUBLE_EQ(learning_rate(options, 100), options.rate);
  EXPECT_NEAR(learning_rate(options, 1000), options.rate * options.last_rate, 1e-15);
  EXPECT_EQ(temperature(options, 0), 4);
  EXPECT_NEAR(temperature(options, 400), 1, 1e-12);
  EXPECT_EQ(temperature(options, 800), 0.25);
  EXPECT_EQ(temperature(options, 1000), 0.25);
}

TEST(Trainer, ClippingKeepsTheDirection) {
  std::vector<double> gradient = {3, 4};
  EXPECT_DOUBLE_EQ(clip(gradient, 10), 5);
  EXPECT_EQ(gradient, (std::vector<double>{3, 4}));
  EXPECT_DOUBLE_EQ(clip(gradient, 1), 5);
  EXPECT_NEAR(gradient[0], 0.6, 1e-15);
  EXPECT_NEAR(gradient[1], 0.8, 1e-15);
}

TEST(Trainer, OptionsThatMakeNoSenseAreNamed) {
  const auto with = [](auto change) {
    return [=] {
      Options options;
      change(options);
      Trainer trainer(contains_ab(), options);
    };
  };
  expect_error<UserError>(with([](Options& o) { o.heads = 3; }), "multiple of 3");
  expect_error<UserError>(with([](Options& o) { o.positions = {"sin"}; }), "unknown position encoding 'sin'");
  expect_error<UserError>(with([](Options& o) { o.tau_to = 0; }), "1e-6");
  expect_error<UserError>(with([](Options& o) { o.rate = -1; }), "learning rate");
  expect_error<UserError>(with([](Options& o) { o.mask = "sideways"; }), "unknown mask");
}

TEST(Checkpoint, OfAnotherRunOrDamagedIsRefused) {
  const test::TemporaryDirectory directory;
  const auto file = directory.path() / "run.checkpoint";
  Trainer trainer(contains_ab(), small());
  save_checkpoint(trainer, file);
  const lang::Formula first = driver::parse("O (Q_1 & !prev true)");
  Trainer other_rule(first, small());
  expect_error<UserError>([&] { load_checkpoint(other_rule, file); }, "another rule");
  Options options = small();
  options.rate = 0.25;
  Trainer other_options(contains_ab(), options);
  expect_error<UserError>([&] { load_checkpoint(other_options, file); }, "this run asks for 0.25");
  expect_error<IoError>([&] { load_checkpoint(trainer, directory.path() / "none"); }, "cannot open");
  const std::string bytes = test::read_text(file);
  const auto damaged = [&](const std::string& content, const char* complaint) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    expect_error<IoError>([&] { load_checkpoint(trainer, file); }, complaint);
  };
  damaged(bytes.substr(0, bytes.size() - 1), "cut short");
  damaged(bytes.substr(0, 40), "not a checkpoint");
  damaged("", "not a checkpoint");
  damaged("[1]\n", "not a checkpoint");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const char* key : {"format", "options", "rule", "step", "anything"}) {
    std::string nested = bytes;
    const std::string name = "\"" + std::string(key) + "\":";
    const std::size_t at = nested.find(name);
    nested.insert(at == std::string::npos ? 1 : at + name.size(), at == std::string::npos ? name + deep + "," : deep);
    damaged(nested, "deeper");
  }
  damaged("{\"format\":\"quench checkpoint 1\",\"format\":\"quench checkpoint 1\"" + bytes.substr(bytes.find(",")), "twice");
  std::string other = bytes;
  other.replace(other.find("\"rule\":"), 7, "\"rule\":[],\"rile\":");
  damaged(other, "not a checkpoint");
}

}  // namespace
}  // namespace quench::train
