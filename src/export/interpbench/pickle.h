// Python's pickles, as far as exports need them: what is put together here is read by pickle.load and torch.load.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quench::exports {

/// A stack machine's program, written one value after the other. Protocol 4 has sets; torch.load wants protocol 2.
class Pickle {
 public:
  explicit Pickle(int protocol) : bytes_{'\x80', static_cast<char>(protocol)} {}

  Pickle& text(std::string_view value);
  Pickle& number(std::int64_t value);
  Pickle& boolean(bool value) { return code(value ? '\x88' : '\x89'); }
  Pickle& none() { return code('N'); }
  /// A name of a module: torch.float32
  Pickle& global(std::string_view module, std::string_view name);

  Pickle& mark() { return code('('); }          ///< what follows, up to the next of these, is
  Pickle& tuple() { return code('t'); }         ///< a tuple
  Pickle& set_items() { return code('u'); }     ///< keys and values of the dictionary before the mark
  Pickle& add_items() { return code('\x90'); }  ///< members of the set before the mark
  Pickle& empty_tuple() { return code(')'); }
  Pickle& empty_dictionary() { return code('}'); }
  Pickle& empty_set() { return code('\x8f'); }
  Pickle& call() { return code('R'); }        ///< the name before the last tuple, called with it
  Pickle& persistent() { return code('Q'); }  ///< what the last value stands for is known to the reader

  std::string finished() const { return bytes_ + '.'; }

 private:
  Pickle& code(char one) {
    bytes_ += one;
    return *this;
  }
  std::string bytes_;
};

}  // namespace quench::exports
