// Certificates: up to which length a model is provably right in a number format, and whether that holds
// (docs/certificates.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quench/format.h>
#include <quench/model.h>

namespace quench::api {

/// Stands for: no limit below it.
inline constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 53;

struct CertificateEntry {
  Format format = Format::f64;
  Summation summation = Summation::any;
  std::uint64_t length = 0;   ///< every word up to this length comes out right; 0: not even one position
  std::string limiting_head;  ///< what stops the proof at length + 1; empty if nothing does
  std::string reason;         ///< the same in words
};

/// What a certificate says. Whether it is true is for check() to find out.
class Certificate {
 public:
  Certificate(const Certificate&) = default;
  Certificate& operator=(const Certificate&) = default;

  std::vector<CertificateEntry> entries() const;
  /// The length promised to engines that sum like this, or better; nothing if the certificate does not speak of the
  /// format.
  std::optional<std::uint64_t> length(Format format, Summation summation = Summation::any) const;
  /// Of the model it speaks of.
  std::string fingerprint() const;
  std::string to_json() const;

  struct Inside;  ///< of the library
  explicit Certificate(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  const Inside& inside() const { return *inside_; }

 private:
  std::shared_ptr<const Inside> inside_;
};

/// f64, f32, bf16 and f16.
std::vector<Format> usual_formats();

/// Derives the certificate of a model from its weights.
Certificate certify(const Model& model, const std::vector<Format>& formats = usual_formats());
/// The one that the model carries, if it does. Throws IoError if that is damaged.
std::optional<Certificate> certificate_of(const Model& model);
/// From JSON, read strictly. Throws IoError that says what is wrong.
Certificate read_certificate(std::string_view json);
/// The model with this certificate in it. Throws UserError if it speaks of another model.
Model with_certificate(const Model& model, const Certificate& certificate);

/// What the independent checker finds, with code of its own.
struct Verdict {
  bool behaves = false;        ///< these weights behave like their ideal network up to the lengths of the certificate
  bool computes_rule = false;  ///< and they are, bit for bit, what the compiler makes of the rule that the model names
  bool covered = true;         ///< false: of `quench soften`, longer than is derived again; the reason says how far
  std::size_t entries = 0;     ///< how many were derived again
  std::string lengths = {};    ///< "f64 2251799813685248, f32 4194304": where the weights behave
  std::string reason = {};     ///< why not; empty if the weights compute the rule
};

/// Of the certificate that the model carries; a model without one is no error, but a verdict.
Verdict check(const Model& model);
Verdict check(const Model& model, const Certificate& certificate);

}  // namespace quench::api
