// A plain struct of the public headers as a Python class: its fields can be read, and it shows itself by them.
#pragma once

#include <string>
#include <vector>

#include "bindings.h"

namespace quench::python {

template <class T>
class Value {
 public:
  Value(nb::module_& module, const char* name, const char* description)
      : name_(name), class_(module, name, description) {}

  template <class Member>
  Value& field(const char* name, Member T::*member, const char* description) {
    class_.def_ro(name, member, description);
    return named(name);
  }
  /// A field that is computed.
  template <class Read>
  Value& field(const char* name, Read read, const char* description) {
    class_.def_prop_ro(name, read, description);
    return named(name);
  }

  /// To be called last.
  void shown() {
    class_.def("__repr__", [name = name_, fields = fields_](nb::handle self) {
      std::string text = name + "(";
      for (const std::string& field : fields) {
        if (!text.ends_with('(')) text += ", ";
        text += field + "=" + nb::repr(self.attr(field.c_str())).c_str();
      }
      return text + ")";
    });
  }

 private:
  Value& named(const char* name) {
    fields_.emplace_back(name);
    return *this;
  }

  std::string name_;
  std::vector<std::string> fields_;
  nb::class_<T> class_;
};

}  // namespace quench::python
