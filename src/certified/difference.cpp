#include <fmt/format.h>

#include "certified/origin.h"

namespace quench::certified {
namespace {

/// Softening looks at the hard attention that a head stands for, at whatever temperature.
Weighting hard(const model::Head& head) { return head.weighting == Weighting::soft ? head.intended : head.weighting; }

const char* difference(const model::Head& a, const model::Head& b, Alike alike) {
  if (a.mask != b.mask) return "the mask";
  if (alike == Alike::network) {
    if (a.temperature != b.temperature) return "the temperature";
    if (a.weighting != b.weighting) return "the weighting";
  } else {
    if (hard(a) != hard(b)) return "the weighting";
    if (a.claim != b.claim) return "the claim";
  }
  if (a.q != b.q) return "q";
  if (a.k != b.k) return "k";
  if (a.v != b.v) return "v";
  if (a.o != b.o) return "o";
  return nullptr;
}

const char* difference(const model::FeedForward& a, const model::FeedForward& b) {
  if (a.w1 != b.w1) return "w1";
  if (a.b1 != b.b1) return "b1";
  if (a.w2 != b.w2) return "w2";
  if (a.b2 != b.b2) return "b2";
  return nullptr;
}

}  // namespace

std::optional<std::string> difference(const model::Transformer& a, const model::Transformer& b, Alike alike) {
  if (a.alphabet.symbols() != b.alphabet.symbols()) return "the symbols";
  if (a.width != b.width) return "the width";
  if (a.position_encodings != b.position_encodings) return "the position encodings";
  if (a.output != b.output) return "the output";
  if (a.layers.size() != b.layers.size()) return "the number of layers";
  if (a.embedding != b.embedding) return "the embedding";
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    const model::Layer &x = a.layers[l], &y = b.layers[l];
    if (x.heads.size() != y.heads.size()) return fmt::format("the number of heads of layer {}", l);
    for (std::size_t h = 0; h < x.heads.size(); ++h)
      if (const char* part = difference(x.heads[h], y.heads[h], alike))
        return fmt::format("{} of layers.{}.heads.{}", part, l, h);
    if (const char* part = difference(x.ffn, y.ffn)) return fmt::format("{} of layers.{}.ffn", part, l);
  }
  return std::nullopt;
}

}  // namespace quench::certified
