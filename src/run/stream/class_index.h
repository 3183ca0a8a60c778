// Which classes of keys win a row of a streamed head, without comparing all of them. Heads that find a key by what it
// says of itself in many components (docs/theory-exact.md, [Q-address]) have as many classes as there are positions.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_set>
#include <vector>

namespace quench::run {

class ClassIndex {
 public:
  /// `common` says of each component whether its query is the same at every position: such components tell no classes
  /// apart. A key that is `cutoff` behind weighs nothing.
  ClassIndex(std::vector<bool> common, double cutoff)
      : common_(std::move(common)), cutoff_(cutoff), classes_(0, Hash{this}, Equal{this}) {
    clear();
  }
  ClassIndex(const ClassIndex&) = delete;  // the classes look at it
  ClassIndex& operator=(const ClassIndex&) = delete;
  void clear();

  /// The number of the key's class; a new class has that of one that was forgotten, or else the number of classes there
  /// were.
  std::size_t find_or_add(const std::vector<double>& key);
  /// What the components say that tell classes apart; common ones are 0.
  const std::vector<double>& key(std::size_t number) const { return keys_[number]; }
  /// Leaves the class out: from then on find_winners says no where it might weigh something.
  void forget(std::size_t number);
  /// What the common components add to the scores of a class is now `base` at most.
  void raise(std::size_t number, double base);

  /// Fills `winners` with classes that all others together weigh nothing beside, and returns true; or returns false if
  /// that cannot be seen at once.
  bool find_winners(const std::vector<double>& query, double scale, std::vector<std::size_t>& winners);

 private:
  /// A value that a component has, how many classes have ever had it, and the last of them.
  struct Value {
    double value;
    std::size_t classes, last;
  };
  /// Classes by what they say: numbers stand for their keys.
  struct Hash {
    using is_transparent = void;
    const ClassIndex* index;
    std::size_t operator()(const std::vector<double>& key) const;
    std::size_t operator()(std::size_t number) const { return (*this)(index->keys_[number]); }
  };
  struct Equal {
    using is_transparent = void;
    const ClassIndex* index;
    bool operator()(const std::vector<double>& a, std::size_t b) const { return a == index->keys_[b]; }
    bool operator()(std::size_t a, const std::vector<double>& b) const { return index->keys_[a] == b; }
    bool operator()(std::size_t a, std::size_t b) const { return a == b; }
  };
  /// A component with many values: x, in which no base is above peak − β·x².
  struct Parabola {
    std::size_t component;
    double peak = 0, beta = 0;
    bool holds = true;
  };
  void find_parabola(std::size_t component);
  bool by_code(const std::vector<double>& query, double scale, std::vector<std::size_t>& winners);
  bool by_sink(const std::vector<double>& query, double scale, std::vector<std::size_t>& winners) const;
  void take(std::vector<std::size_t>& winners) const;
  double best_of(std::size_t component, double q) const;

  const std::vector<bool> common_;
  const double cutoff_;
  std::unordered_set<std::size_t, Hash, Equal> classes_;  ///< all that are not forgotten
  std::vector<std::vector<double>> keys_;                 ///< by class
  std::vector<double> bases_;                             ///< by class
  std::vector<std::size_t> free_;                         ///< classes that were forgotten
  bool forgotten_ = false;                                ///< some class was
  double top_ = 0;                                        ///< the greatest base that there ever was
  std::vector<std::vector<Value>> values_;                ///< by component, the first three
  std::optional<Parabola> parabola_;
  std::vector<double> wanted_;
};

}  // namespace quench::run
