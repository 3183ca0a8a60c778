// The words that verification goes through, cut into tasks that do not depend on each other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/word.h"
#include "verify/verify.h"

namespace quench::verify {

/// All words, cut into tasks: lengths 1, 2, … in turn, then the random words one by one, then the adversarial ones,
/// then those that are given.
class Workload {
 public:
  /// The options must outlive it.
  Workload(std::size_t symbols, const Options& options);

  /// Of the options' part.
  std::uint64_t tasks() const { return end_ - begin_; }
  /// The words of one task: all of one length.
  std::vector<Word> words(std::uint64_t task) const;

 private:
  std::size_t symbols_;
  const Options& options_;
  std::uint64_t exhaustive_tasks_ = 0, random_tasks_ = 0, adversarial_tasks_ = 0;
  std::uint64_t begin_ = 0, end_ = 0;  // of the part, among all tasks
};

/// Shorter, or as long and earlier.
bool smaller(const Word& a, const Word& b);

/// The longest length whose words over so many symbols, with all shorter ones, are at most 100,000.
int usual_exhaustive(std::size_t symbols);

}  // namespace quench::verify
