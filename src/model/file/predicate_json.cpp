#include "model/file/predicate_json.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/file/json_fields.h"

namespace quench::model {

namespace {

using Op = IntInstruction::Op;
using Kind = Predicate::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 13> kKinds{{{Kind::odd, "odd"},
                                                                    {Kind::even, "even"},
                                                                    {Kind::mod, "mod"},
                                                                    {Kind::prime, "prime"},
                                                                    {Kind::square, "square"},
                                                                    {Kind::cube, "cube"},
                                                                    {Kind::pow2, "pow2"},
                                                                    {Kind::triangular, "triangular"},
                                                                    {Kind::fibonacci, "fibonacci"},
                                                                    {Kind::first, "first"},
                                                                    {Kind::last, "last"},
                                                                    {Kind::set, "set"},
                                                                    {Kind::expression, "expression"}}};

struct OpFacts {
  Op op;
  std::string_view name;
  std::size_t arity;
};
constexpr std::array<OpFacts, 18> kOps{{{Op::constant, "constant", 0},
                                        {Op::x, "x", 0},
                                        {Op::n, "n", 0},
                                        {Op::negate, "negate", 1},
                                        {Op::logical_not, "not", 1},
                                        {Op::add, "add", 2},
                                        {Op::subtract, "subtract", 2},
                                        {Op::multiply, "multiply", 2},
                                        {Op::divide, "divide", 2},
                                        {Op::modulo, "modulo", 2},
                                        {Op::equal, "equal", 2},
                                        {Op::not_equal, "not_equal", 2},
                                        {Op::less, "less", 2},
                                        {Op::less_equal, "less_equal", 2},
                                        {Op::greater, "greater", 2},
                                        {Op::greater_equal, "greater_equal", 2},
                                        {Op::logical_and, "and", 2},
                                        {Op::logical_or, "or", 2}}};

std::optional<Kind> kind_from(std::string_view text) {
  for (const auto& [kind, name] : kKinds)
    if (name == text) return kind;
  return std::nullopt;
}

std::optional<OpFacts> op_from(std::string_view text) {
  for (const OpFacts& facts : kOps)
    if (facts.name == text) return facts;
  return std::nullopt;
}

const OpFacts& facts_of(Op op) {
  for (const OpFacts& facts : kOps)
    if (facts.op == op) return facts;
  throw InternalError("integer operation of unknown kind");
}

std::string_view name_of(Kind kind) {
  for (const auto& [known, name] : kKinds)
    if (known == kind) return name;
  throw InternalError("predicate of unknown kind");
}

/// The indices of the `arity` nodes on top of the stack, which they leave.
std::vector<std::size_t> take(std::vector<std::size_t>& stack, std::size_t arity) {
  const auto first = stack.end() - static_cast<std::ptrdiff_t>(arity);
  std::vector<std::size_t> arguments(first, stack.end());
  stack.erase(first, stack.end());
  return arguments;
}

nlohmann::ordered_json tree_to_json(const std::vector<IntInstruction>& code) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  std::vector<std::size_t> stack;  // nodes that no other node has taken yet
  for (std::size_t index = 0; index < code.size(); ++index) {
    const OpFacts& facts = facts_of(code[index].op);
    nlohmann::ordered_json node{{"op", facts.name}};
    if (facts.op == Op::constant) node["value"] = code[index].value;
    if (facts.arity > 0) node["args"] = take(stack, facts.arity);
    stack.push_back(index);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Nodes come in postfix order, so the arguments of each are the latest nodes not yet taken; anything else is no tree.
std::vector<IntInstruction> tree_from_json(const Field& nodes) {
  std::vector<IntInstruction> code;
  std::vector<std::size_t> stack;
  nodes.for_each([&](const Field& node) {
    const OpFacts facts = node["op"].spelled(op_from, "an operation");
    if (stack.size() < facts.arity) node.wrong("a node of a tree: it has fewer nodes before it than arguments");
    IntInstruction instruction{facts.op, 0};
    if (facts.op == Op::constant) instruction.value = node["value"].integer();
    if (facts.arity > 0) {
      const std::vector<std::size_t> expected = take(stack, facts.arity);
      std::vector<std::size_t> given;
      node["args"].for_each([&](const Field& index) { given.push_back(index.natural(code.size())); });
      if (given != expected) node["args"].wrong("the latest nodes without a parent (children first, each used once)");
    }
    stack.push_back(code.size());
    code.push_back(instruction);
  });
  if (stack.size() != 1) nodes.wrong("one tree");
  return code;
}

}  // namespace

nlohmann::ordered_json predicate_to_json(const Predicate& predicate) {
  nlohmann::ordered_json json{{"kind", name_of(predicate.kind)}, {"name", predicate.name}};
  if (predicate.kind == Kind::mod) {
    json["modulus"] = predicate.modulus;
    json["residue"] = predicate.residue;
  }
  if (predicate.kind == Kind::set) json["members"] = predicate.members;
  if (predicate.kind == Kind::expression) json["nodes"] = tree_to_json(predicate.code);
  return json;
}

Predicate predicate_from_json(const nlohmann::json& json, const std::string& where) {
  const Field field(json, where);
  Predicate predicate;
  predicate.kind = field["kind"].spelled(kind_from, "a kind of predicate");
  predicate.name = field["name"].text();
  if (predicate.kind == Kind::mod) {
    predicate.modulus = field["modulus"].integer();
    predicate.residue = field["residue"].integer();
  }
  if (predicate.kind == Kind::set)
    field["members"].for_each([&](const Field& member) { predicate.members.push_back(member.integer()); });
  if (predicate.kind == Kind::expression) predicate.code = tree_from_json(field["nodes"]);
  return predicate;
}

}  // namespace quench::model
