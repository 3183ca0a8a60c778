// Looking inside through the public headers: parts, diagrams, traces, and networks at other temperatures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <quench/quench.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "support/examples.h"
#include "support/paths.h"

namespace quench {
namespace {

using testing::HasSubstr;

std::string span_of(const std::string& text, const Part& part) {
  return text.substr(part.begin, part.end - part.begin);
}

const Part* with_operation(const std::vector<Part>& parts, const std::string& operation) {
  for (const Part& part : parts)
    if (part.operation == operation) return &part;
  return nullptr;
}

TEST(Parts, OfAFormulaStandWhereTheyAreWritten) {
  const std::string text = "let sent = Q_a & ! Q_b\nH (sent -> O 'c') & #<[sent] >= 2";
  const std::vector<Part> found = parts(parse_formula(text));
  EXPECT_EQ(span_of(text, *with_operation(found, "H")), "H (sent -> O 'c')");
  EXPECT_EQ(span_of(text, *with_operation(found, ">=")), "#<[sent] >= 2");
  EXPECT_EQ(span_of(text, *with_operation(found, "O")), "O 'c'");
  const Part& sent = found[with_operation(found, "->")->operands[0]];
  EXPECT_EQ(sent.name, "sent");
  EXPECT_EQ(sent.text, "sent");
  EXPECT_EQ(span_of(text, sent), "Q_a & ! Q_b");
  for (std::size_t k = 0; k < found.size(); ++k)
    for (const std::size_t operand : found[k].operands) EXPECT_LT(operand, k);
}

TEST(Parts, OfAProgramAreItsVectors) {
  const std::string text = "seen(i) = rightmost j [j < i, Q_a(j)] true : false\nout(i) = seen(i) and Q_b(i)\n";
  const std::vector<Part> found = parts(parse_program(text));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].operation, "rightmost");
  EXPECT_EQ(found[0].name, "seen");
  EXPECT_EQ(found[1].operands, std::vector<std::size_t>{0});
  EXPECT_THAT(span_of(text, found[1]), testing::StartsWith("out(i)"));
}

TEST(Inspect, ModelsAreThoseOfCompile) {
  const Rule rule = parse_formula("H (Q_r -> O Q_g)");
  const CompileOptions options{.recipe = "tight", .certify = false};
  EXPECT_EQ(inspect(rule, options).model.fingerprint(), compile(rule, options).fingerprint());
  EXPECT_TRUE(inspect(rule).model.has_certificate());
  EXPECT_THROW(inspect(parse_formula("prime(#<[Q_a])"), {.recipe = "12a"}), RuleError);
}

/// Every operator that needs a head has one, and the head's coordinates have its colour.
TEST(Inspect, HeadsAndCoordinatesKnowTheirParts) {
  const Inspection found = inspect(parse_formula("(Q_a S Q_b) & prev Q_c & #<[Q_a] >= #<[Q_b]"), {.certify = false});
  std::set<std::string> of_heads;
  for (const NetworkLayer& layer : found.network.layers)
    for (const NetworkHead& head : layer.heads) {
      for (const std::size_t part : head.parts) of_heads.insert(found.parts[part].operation);
      bool shared = false;
      for (const Access& access : head.writes) {
        ASSERT_TRUE(access.tenant);
        for (const std::size_t part : found.network.tenants[*access.tenant].parts)
          shared |= std::find(head.parts.begin(), head.parts.end(), part) != head.parts.end();
      }
      EXPECT_TRUE(shared) << head.name;
    }
  EXPECT_THAT(of_heads, testing::IsSupersetOf({"S", "prev", ">="}));
  for (const Stage& stage : found.stages)
    for (const Stage::Table& table : stage.tables) {
      EXPECT_EQ(table.parts.size(), table.rows.size());
      for (const auto& parts : table.parts)
        for (const std::size_t part : parts) EXPECT_LT(part, found.parts.size());
    }
}

TEST(Inspect, AnAutomatonHasThePartsOfItsFormula) {
  const Inspection found = inspect(parse_regex("(ab)*"), {.certify = false});
  EXPECT_FALSE(found.parts.empty());
  for (const Part& part : found.parts) EXPECT_EQ(part.end, 0u);
}

/// What is read has been written: every coordinate that is read has a tenant, and every tenant somebody who made it.
TEST(Network, EveryReadingHasATenantAndEveryTenantAMaker) {
  for (const test::ExampleFile& example : test::formula_examples()) {
    const Inspection found = inspect(parse_formula(example.text), {.certify = false});
    const Network& network = found.network;
    std::vector<bool> made(network.tenants.size());
    const auto reads = [&](const std::vector<Access>& accesses) {
      for (const Access& access : accesses) EXPECT_TRUE(access.tenant) << example.name << " x" << access.coordinate;
    };
    const auto writes = [&](const std::vector<Access>& accesses) {
      for (const Access& access : accesses)
        if (access.tenant) made[*access.tenant] = true;
    };
    for (const NetworkLayer& layer : network.layers) {
      for (const NetworkHead& head : layer.heads)
        reads(head.queries), reads(head.keys), reads(head.values), writes(head.writes);
      for (const NetworkUnit& unit : layer.units) reads(unit.reads), writes(unit.writes);
    }
    for (std::size_t l = 0; l < network.layers.size(); ++l)
      for (const Weight& bias : network.layers[l].biases)
        for (std::size_t t = 0; t < made.size(); ++t)
          if (network.tenants[t].coordinate == bias.index && network.tenants[t].from == static_cast<int>(2 * l + 2))
            made[t] = true;
    for (std::size_t t = 0; t < made.size(); ++t)
      EXPECT_TRUE(made[t] || network.tenants[t].from == 0) << example.name << ": " << network.tenants[t].name;
  }
}

TEST(Weights, AreThoseOfTheListing) {
  const Inspection found = inspect(parse_formula("O Q_a"), {.certify = false});
  const HeadWeights weights = head_weights(found.model, 0, 0);
  EXPECT_EQ(weights.q.size(), found.network.layers[0].heads[0].key_width);
  EXPECT_EQ(weights.o.size(), found.network.width);
  EXPECT_EQ(feed_forward_weights(found.model, 0).b1.size(), found.network.layers[0].units.size());
  EXPECT_THROW(head_weights(found.model, 0, 7), UserError);
  EXPECT_THROW(feed_forward_weights(found.model, 7), UserError);
}

TEST(Trace, AnswersAsTheRuleAndAttendsAsTheHead) {
  const Rule rule = parse_formula("Q_a S Q_b");
  const Model model = compile(rule, {.certify = false});
  for (const char* word : {"b", "ba", "aab", "baax", "bbaaba"}) {
    const Trace found = trace(model, word);
    EXPECT_EQ(found.answer, evaluate(rule, word)) << word;
    ASSERT_FALSE(found.heads.empty());
    for (const TracedHead& one : found.heads) {
      EXPECT_EQ(one.weights, head_attention(model, word, one.head.layer, one.head.head)) << word;
      EXPECT_EQ(one.entropy.size(), one.weights.rows);
    }
  }
}

TEST(Trace, ValuesAreGivenAtBirthAndWhenTheyChange) {
  const Inspection found = inspect(parse_formula("H (Q_r -> O Q_g)"), {.certify = false});
  const Trace seen = trace(found.model, "ggr");
  std::vector<int> born(found.network.tenants.size(), -1);
  for (const TracedValues& one : seen.values) {
    const Tenant& tenant = found.network.tenants[one.tenant];
    if (born[one.tenant] < 0) {
      EXPECT_EQ(one.sublayer, tenant.from) << tenant.name;
    }
    born[one.tenant] = one.sublayer;
    EXPECT_LE(one.sublayer, tenant.to);
    EXPECT_EQ(one.values.size(), 3u);
    EXPECT_EQ(one.distance.has_value(), tenant.boolean);
  }
  for (const int birth : born) EXPECT_GE(birth, 0);
}

TEST(Trace, AblationAndPatchesChangeTheAnswer) {
  const Inspection found = inspect(parse_formula("O Q_a"), {.certify = false});
  EXPECT_EQ(trace(found.model, "ab").answer.truth, (std::vector<bool>{true, true}));
  EXPECT_EQ(trace(found.model, "ab", {.ablated = {{0, 0}}}).answer.truth, (std::vector<bool>{false, false}));
  EXPECT_EQ(trace(found.model, "bb", {.patches = {{"Q_a", 1, 1}}}).answer.truth, (std::vector<bool>{true, true}));
  EXPECT_THROW(trace(found.model, "ab", {.ablated = {{3, 0}}}), UserError);
  EXPECT_THROW(trace(found.model, "ab", {.patches = {{"nothing", 1, 1}}}), UserError);
  EXPECT_THROW(trace(found.model, "ab", {.patches = {{"Q_a", 3, 1}}}), UserError);
  EXPECT_THROW(trace(found.model, ""), UserError);
}

double entropy(const Model& model, const std::string& word) {
  double sum = 0;
  for (const TracedHead& head : trace(model, word).heads)
    for (const double row : head.entropy) sum += row;
  return sum;
}

TEST(Warmth, RaisesTheEntropyUpToUniform) {
  const Model model = compile(parse_formula("(Q_a S Q_b) & prev Q_c"), {.certify = false});
  const std::string word = "cbaacbabbacab";
  double last = -1;
  for (const double factor : {0.01, 0.1, 1.0, 10.0, 100.0, 1e4, std::numeric_limits<double>::infinity()}) {
    const double now = entropy(warmed(model, factor), word);
    EXPECT_GE(now, last) << factor;
    last = now;
  }
  double uniform = 0;  // a row of a future mask that looks at i keys alike
  for (std::size_t i = 1; i <= word.size(); ++i) uniform += std::log(static_cast<double>(i));
  EXPECT_NEAR(last, uniform * static_cast<double>(trace(model, word).heads.size()), 1e-9);
  EXPECT_THROW(warmed(model, 0), UserError);
  EXPECT_THROW(warmed(model, -1), UserError);
  EXPECT_THROW(warmed(model, std::nan("")), UserError);
}

/// A power of two scales scores exactly, so the network is the same as one whose temperature is another.
TEST(Warmth, OfOneChangesNothing) {
  const Model model = compile(parse_formula("Q_a S Q_b"));
  const Model same = warmed(model, 1);
  EXPECT_FALSE(same.has_certificate());
  EXPECT_EQ(trace(same, "baab").raw, trace(model, "baab").raw);
}

/// At the length itself nothing changes; far beyond, an ordinary transformer no longer finds the nearest of many.
TEST(FixedTemperature, IsRightAtItsLengthAndFailsFarBeyond) {
  const Rule rule = parse_formula("Q_a S Q_b");
  const Model model = compile(rule, {.certify = false}), fixed = with_fixed_temperature(model, 16);
  std::string word = "baaabababbaaabab";
  EXPECT_EQ(trace(fixed, word).answer, evaluate(rule, word));
  std::string far = "b";
  for (int k = 0; k < 2000; ++k) far += "xa"[k % 2];
  const Runner ordinary(fixed, {.uncertified = true}), ours(model, {.uncertified = true});
  EXPECT_EQ(ours.run(far), evaluate(rule, far));
  std::string near_tie = std::string(1000, 'b') + "x" + std::string(1000, 'a');
  EXPECT_EQ(ours.run(near_tie), evaluate(rule, near_tie));
  EXPECT_NE(ordinary.run(near_tie), evaluate(rule, near_tie));
  EXPECT_THROW(with_fixed_temperature(model, 0), UserError);
}

TEST(SaveBytes, AreWhatLoadBytesReads) {
  const Model model = compile(parse_formula("O Q_a"));
  const std::string bytes = save_bytes(model);
  const Model again = load_bytes(bytes);
  EXPECT_EQ(again.fingerprint(), model.fingerprint());
  EXPECT_TRUE(again.has_certificate());
  EXPECT_EQ(save_bytes(again), bytes);
}

TEST(AttentionSvg, DrawsTheHeadsAskedFor) {
  const Model model = compile(parse_formula("(Q_a S Q_b) & prev Q_c"), {.certify = false});
  EXPECT_THAT(attention_svg(model, "abc"), HasSubstr("<svg"));
  EXPECT_THROW(attention_svg(model, "abc", {.attention = std::vector<HeadIndex>{}}), UserError);
  EXPECT_THROW(attention_svg(model, "abc", {.attention = std::vector<HeadIndex>{{9, 9}}}), UserError);
}

TEST(FindFailure, FindsWhereAFormatGivesOut) {
  const Rule rule = parse_formula("Q_a S Q_b");
  const Model model = compile(rule, {.certify = false});
  const FailureReport found = find_failure(rule, model, {.longest = 1024, .format = Format::f8e4m3});
  ASSERT_TRUE(found.failure);
  EXPECT_LE(found.failure->length, 1024u);
  EXPECT_FALSE(find_failure(rule, model, {.longest = 64, .format = Format::f64}).failure);
  struct Enough {};
  FailureOptions stopped{.longest = 1024};
  stopped.progress = [](std::uint64_t, std::uint64_t) { throw Enough{}; };
  EXPECT_THROW(find_failure(rule, model, stopped), Enough);
  VerifyOptions verify_stopped{.exhaustive = 8};
  verify_stopped.progress = [](std::uint64_t, std::uint64_t) { throw Enough{}; };
  EXPECT_THROW(verify(rule, model, verify_stopped), Enough);
}

}  // namespace
}  // namespace quench
