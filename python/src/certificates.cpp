#include <quench/certify.h>

#include "bindings.h"
#include "names.h"
#include "value.h"

namespace quench::python {
namespace {

std::vector<Format> formats_named(const std::vector<std::string>& names) {
  std::vector<Format> formats;
  for (const std::string& name : names) formats.push_back(format_named(name));
  return formats;
}

}  // namespace

void bind_certificates(nb::module_& module) {
  Value<CertificateEntry>(module, "CertificateEntry", "A certified length in a number format.")
      .field(
          "format", [](const CertificateEntry& entry) { return std::string(name_of(entry.format)); }, "Such as f32.")
      .field(
          "summation", [](const CertificateEntry& entry) { return std::string(name_of(entry.summation)); },
          "How engines are assumed to sum: any, normalise-last or exact-count.")
      .field("length", &CertificateEntry::length, "Every word up to it comes out right; 2**53 stands for no limit.")
      .field("limiting_head", &CertificateEntry::limiting_head, "What stops the proof there; empty if nothing does.")
      .field("reason", &CertificateEntry::reason, "The same in words.")
      .shown();
  Value<Verdict>(module, "Verdict", "What the independent checker finds.")
      .field("behaves", &Verdict::behaves, "The weights behave like their ideal network up to the lengths.")
      .field("computes_rule", &Verdict::computes_rule, "And they are what the compiler makes of the rule.")
      .field("covered", &Verdict::covered, "False: of a kind that is not derived again.")
      .field("entries", &Verdict::entries, "How many were derived again.")
      .field("lengths", &Verdict::lengths, "Where the weights behave, as text.")
      .field("reason", &Verdict::reason, "Why not; empty if the weights compute the rule.")
      .shown();
  nb::class_<Certificate>(module, "Certificate")
      .def("entries", &Certificate::entries)
      .def(
          "length",
          [](const Certificate& certificate, const std::string& format, const std::string& summation) {
            return certificate.length(format_named(format), summation_named(summation));
          },
          nb::arg("format"), nb::arg("summation"))
      .def("fingerprint", &Certificate::fingerprint)
      .def("to_json", &Certificate::to_json);
  module.def(
      "certify",
      [](const Model& model, const std::vector<std::string>& formats) {
        nb::gil_scoped_release release;
        return certify(model, formats.empty() ? usual_formats() : formats_named(formats));
      },
      nb::arg("model"), nb::arg("formats"));
  module.def("certificate_of", &certificate_of, nb::arg("model"));
  module.def("read_certificate", &read_certificate, nb::arg("json"));
  module.def("with_certificate", &with_certificate, nb::arg("model"), nb::arg("certificate"));
  module.def(
      "check",
      [](const Model& model, std::optional<Certificate> certificate) {
        nb::gil_scoped_release release;
        return certificate ? check(model, *certificate) : check(model);
      },
      nb::arg("model"), nb::arg("certificate").none());
}

}  // namespace quench::python
