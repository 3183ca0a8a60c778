// What a scan keeps of the function that a block of letters is: for every state a that the block may begin in, the bits
// of a number that stands for the state it ends in. Each is a question with a yes-or-no answer to a block. [Q-scan]
//
// Questions that no block answers differently are one, and so are a question and its opposite; what all blocks answer
// alike is not asked. For parity one question is left of two, for a cyclic group of four elements three of eight.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/scan/machine.h"

namespace quench::lower {

class Questions {
 public:
  explicit Questions(std::vector<Machine> machines);

  const std::vector<Machine>& machines() const { return machines_; }
  int bits(std::size_t machine) const { return bits_[machine]; }
  /// Whether bit t of the number that stands for a state is set.
  bool is_set(std::size_t machine, std::size_t state, int t) const { return codes_[machine][state] >> t & 1; }

  /// Bit t of where a block leads that begins in `state`.
  struct Question {
    std::size_t machine, state;
    int bit;
  };
  /// The questions that are asked.
  const std::vector<Question>& asked() const { return asked_; }

  /// What answers a question: one that is asked, or its opposite; or the answer is always the same.
  struct Answer {
    static constexpr std::size_t kAlways = SIZE_MAX;
    std::size_t asked = kAlways;  ///< kAlways: the answer is `negated`
    bool negated = false;
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  const Answer& answer(std::size_t machine, std::size_t state, int t) const;

 private:
  void merge();

  std::vector<Machine> machines_;
  std::vector<int> bits_;                          // by machine
  std::vector<std::vector<std::uint32_t>> codes_;  // by machine, then state
  std::vector<std::vector<Answer>> answers_;       // by machine, then state and bit
  std::vector<Question> asked_;
};

}  // namespace quench::lower
