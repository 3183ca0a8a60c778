#include "automata/formats/hoa_label.h"

namespace quench::automata {
namespace {

constexpr int kDeepest = 200;

class Label {
 public:
  Label(std::string_view text, std::size_t letter, std::size_t propositions, const HoaAliases& aliases, int depth)
      : text_(text), letter_(letter), propositions_(propositions), aliases_(aliases), depth_(depth) {}

  std::optional<bool> run() {
    const bool value = either();
    skip();
    if (!good_ || at_ < text_.size()) return std::nullopt;
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      ++at_;
  }
  bool take(char sign) {
    skip();
    if (at_ >= text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  bool either() {
    bool value = both();
    while (take('|')) value = both() || value;
    return value;
  }
  bool both() {
    bool value = atom();
    while (take('&')) value = atom() && value;
    return value;
  }
  bool fail() {
    good_ = false;
    at_ = text_.size();
    return false;
  }
  bool atom() {
    bool negated = false;
    while (take('!')) negated = !negated;
    if (depth_ > kDeepest) return fail();
    if (take('(')) {
      ++depth_;
      const bool value = either();
      --depth_;
      return take(')') ? value != negated : fail();
    }
    if (take('t')) return !negated;
    if (take('f')) return negated;
    if (take('@')) return alias() != negated;
    return proposition() != negated;
  }
  bool alias() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \t\r\n&|!()", at_), text_.size());
    const auto found = aliases_.find(std::string(text_.substr(begin, at_ - begin)));
    if (found == aliases_.end()) return fail();
    const std::optional<bool> value = label_holds(found->second, letter_, propositions_, aliases_, depth_ + 1);
    return value ? *value : fail();
  }
  bool proposition() {
    skip();
    const std::size_t begin = at_;
    std::size_t number = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      number = std::min<std::size_t>(10 * number + static_cast<std::size_t>(text_[at_] - '0'), 1'000'000'000);
    if (at_ == begin || number >= propositions_) return fail();
    return number == letter_;
  }

  std::string_view text_;
  std::size_t letter_, propositions_;
  const HoaAliases& aliases_;
  int depth_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace

std::optional<bool> label_holds(std::string_view label, std::size_t letter, std::size_t propositions,
                                const HoaAliases& aliases, int depth) {
  return Label(label, letter, propositions, aliases, depth).run();
}

}  // namespace quench::automata
