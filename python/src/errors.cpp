// The library's exceptions as those of quench.errors, with what they carry.
#include <quench/error.h>

#include <exception>
#include <string_view>

#include "bindings.h"
#include "value.h"

namespace quench::python {
namespace {

template <class... Arguments>
void raise(const char* name, Arguments&&... arguments) {
  const nb::object type = nb::module_::import_("quench.errors").attr(name);
  const nb::object error = type(std::forward<Arguments>(arguments)...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

/// Names of files may be any bytes; a message shows what can be shown.
nb::object text_of(const std::exception& error) {
  const std::string_view text = error.what();
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RuleError& error) {
    nb::list diagnostics;
    for (const Diagnostic& one : error.diagnostics) diagnostics.append(nb::cast(one));
    raise("RuleError", text_of(error), diagnostics);
  } catch (const UserError& error) {
    raise("UserError", text_of(error));
  } catch (const IoError& error) {
    raise("IoError", text_of(error));
  } catch (const LengthRefused& refused) {
    raise("LengthRefused", text_of(refused), refused.length, refused.longest);
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  Value<Diagnostic>(module, "Diagnostic", "What is wrong with the text of a rule, or odd about it.")
      .field("code", &Diagnostic::code, "Such as E012; quench.explain says what it means.")
      .field("message", &Diagnostic::message, "In one sentence.")
      .field("line", &Diagnostic::line, "Where it begins, counted from 1.")
      .field("column", &Diagnostic::column, "In characters, counted from 1.")
      .field("length", &Diagnostic::length, "So many bytes of the text are meant.")
      .field("help", &Diagnostic::help, "What was expected, ways out.")
      .shown();
  nb::register_exception_translator(translate);
  module.def("explain", &explain, nb::arg("code"));
}

}  // namespace quench::python
