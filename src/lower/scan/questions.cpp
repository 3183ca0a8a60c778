// A question about where a block leads from a is, once a letter of it has been read, the same question about where the
// rest leads from δ(a, letter). So questions are the states of an automaton, whose answer to the empty block is the bit
// itself, and two questions are the same if no word tells them apart there: Moore's refinement. Opposites and the two
// constants are states as well. Blocks have at least one letter, so what counts is where letters lead.
#include "lower/scan/questions.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace quench::lower {
namespace {

using Codes = std::vector<std::uint32_t>;  // by state

int bits_for(std::size_t states) { return static_cast<int>(std::bit_width(states - 1)); }

/// Questions 2q and opposites 2q + 1 of one machine, q = state·bits + t; then `no` and `yes`.
struct QuestionMachine {
  Machine machine;
  Classes bit;
};

void add_questions(const Machine& machine, const Codes& codes, int bits, QuestionMachine& to) {
  const std::size_t from = to.machine.size();
  for (std::size_t state = 0; state < machine.size(); ++state)
    for (int t = 0; t < bits; ++t)
      for (const std::size_t opposite : {0u, 1u}) {
        std::vector<std::size_t> row;
        for (const std::size_t after : machine.next[state])
          row.push_back(from + 2 * (after * static_cast<std::size_t>(bits) + static_cast<std::size_t>(t)) + opposite);
        to.machine.next.push_back(std::move(row));
        to.bit.push_back((codes[state] >> t & 1) ^ opposite);
      }
}

/// For every question and opposite, and then for `no` and `yes`, the kinds of what letters make of it.
std::vector<std::vector<std::size_t>> kinds(QuestionMachine all, std::size_t letters) {
  for (const std::size_t constant : {0u, 1u}) {
    all.machine.next.emplace_back(letters, all.machine.size());
    all.bit.push_back(constant);
  }
  const Classes same = coarsest_congruence(all.machine, all.bit);
  std::vector<std::vector<std::size_t>> result;
  for (const std::vector<std::size_t>& row : all.machine.next) {
    result.emplace_back();
    for (const std::size_t to : row) result.back().push_back(same[to]);
  }
  return result;
}

/// How many questions are left of one machine's.
std::size_t questions_left(const Machine& machine, const Codes& codes, int bits) {
  QuestionMachine all;
  add_questions(machine, codes, bits, all);
  const auto kind = kinds(std::move(all), machine.letters());
  std::map<std::vector<std::size_t>, int> different;
  for (const auto& one : kind) different.emplace(one, 0);
  return different.size() / 2 - 1;
}

/// Numbers for the states: in their order, then better by exchanging two as long as that leaves fewer questions.
Codes chosen_codes(const Machine& machine, int bits) {
  constexpr std::size_t kMostExchanged = 16;  // of machines for which exchanges are tried
  Codes codes(machine.size());
  std::iota(codes.begin(), codes.end(), 0u);
  if (machine.size() > kMostExchanged) return codes;
  std::size_t best = questions_left(machine, codes, bits);
  for (bool better = true; better;) {
    better = false;
    for (std::size_t a = 0; a < codes.size(); ++a)
      for (std::uint32_t code = 0; code < 1u << bits; ++code) {
        Codes changed = codes;
        const auto other = std::find(changed.begin(), changed.end(), code);
        if (other != changed.end()) *other = codes[a];
        changed[a] = code;
        const std::size_t left = questions_left(machine, changed, bits);
        if (left >= best) continue;
        best = left;
        codes = changed;
        better = true;
      }
  }
  return codes;
}

}  // namespace

Questions::Questions(std::vector<Machine> machines) : machines_(std::move(machines)) {
  for (const Machine& machine : machines_) {
    bits_.push_back(bits_for(machine.size()));
    codes_.push_back(chosen_codes(machine, bits_.back()));
  }
  merge();
}

void Questions::merge() {
  QuestionMachine all;
  for (std::size_t m = 0; m < machines_.size(); ++m) add_questions(machines_[m], codes_[m], bits_[m], all);
  const auto kind = kinds(std::move(all), machines_[0].letters());
  std::map<std::vector<std::size_t>, Answer> known;
  known[kind[kind.size() - 2]] = {Answer::kAlways, false};
  known[kind[kind.size() - 1]] = {Answer::kAlways, true};
  std::size_t number = 0;
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    answers_.emplace_back();
    for (std::size_t state = 0; state < machines_[m].size(); ++state)
      for (int t = 0; t < bits_[m]; ++t, number += 2) {
        if (known.try_emplace(kind[number], Answer{asked_.size(), false}).second) {
          known[kind[number + 1]] = {asked_.size(), true};
          asked_.push_back({m, state, t});
        }
        answers_.back().push_back(known.at(kind[number]));
      }
  }
}

const Questions::Answer& Questions::answer(std::size_t machine, std::size_t state, int t) const {
  return answers_[machine][state * static_cast<std::size_t>(bits_[machine]) + static_cast<std::size_t>(t)];
}

}  // namespace quench::lower
