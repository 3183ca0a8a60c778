// What a way to run a head in linear time must do. A new one is a file with a class like the others here, a row in
// methods.cpp, and a case in tests/run/structured/methods/heads_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/structured/attention/foreseen.h"
#include "run/structured/method.h"
#include "run/structured/window.h"

namespace quench::run {

/// One head's numbers in one window. Pointers are to the window's first row.
template <class T>
struct HeadWindow {
  using Views = std::vector<const T*>;

  const LaneWindow& window;
  const std::uint32_t* position;  ///< by index: which position of its word, from 0
  const Views &q, &k;             ///< by component of the dot product
  const Views& v;                 ///< by value
  const LaneScale& scale;         ///< empty: `steady` for all queries
  double steady;
  const std::vector<T*>& out;  ///< by value: where the means go
  LanePhase phase = LanePhase::both;
};

/// What is the same for all windows of a head.
template <class T>
struct MethodSetting {
  std::size_t components = 0, values = 0;
  Mask mask = Mask::none;      ///< of the head
  Mask in_order = Mask::none;  ///< the mask as windows come in: `future` if they come in the order of the scan
  double cutoff = 0;           ///< weights below e^{−cutoff} of a row's greatest may be dropped: negligible()
  std::size_t n = 0;           ///< length of the words
  bool exact_sums = false;     ///< sums over positions are never formed in float
  const ForeseenHead<T>* foreseen = nullptr;  ///< null: nothing; otherwise it must outlive the method
};

/// One head over the windows of a word, in the order in which its mask brings keys into sight, or over whole words side
/// by side.
template <class T>
class LinearMethod {
 public:
  using Views = typename HeadWindow<T>::Views;

  virtual ~LinearMethod() = default;
  /// Writes the means of one more window. Returns false if the head's numbers do not have the form that the method is
  /// for; what it kept of earlier windows is then void.
  virtual bool feed(const HeadWindow<T>& head) = 0;
  /// The keys' components at the first position of a word whose windows come last to first. Before the first feed().
  virtual void introduce(const std::vector<double>& /*first_key*/) {}
  /// Whether it can take a scale as one stretch (LaneScale::stretch), which saves bringing it into lanes.
  virtual bool takes_stretches() const { return false; }
};

/// A row of the table: which method it is, and how it is made.
template <class T>
struct MethodRow {
  Method method;
  std::unique_ptr<LinearMethod<T>> (*make)(const MethodSetting<T>&);
};

/// The methods that a head tries, in this order, if it is no scan. (The scan comes first, and head.h
/// holds it by itself: it alone can be foreseen.)
template <class T>
const std::vector<MethodRow<T>>& linear_methods();

extern template const std::vector<MethodRow<float>>& linear_methods();
extern template const std::vector<MethodRow<double>>& linear_methods();

}  // namespace quench::run
