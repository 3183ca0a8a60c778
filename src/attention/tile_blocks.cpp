#include "attention/tile_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/tile_blocks.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "attention/tile_keys-inl.h"
#include "attention/tile_queries-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

// Highway dispatches plain functions, not templates.
std::size_t Width32() { return width<float>(); }
std::size_t Width64() { return width<double>(); }
void Forward32(const TileProblem<float>& p, std::size_t b, std::size_t n, Rows<float> o) { ForwardBlock(p, b, n, o); }
void Forward64(const TileProblem<double>& p, std::size_t b, std::size_t n, Rows<double> o) { ForwardBlock(p, b, n, o); }
void Query32(const TileProblem<float>& p, std::size_t b, std::size_t n, Rows<float> q, std::span<float> t) {
  QueryGradientBlock(p, b, n, q, t);
}
void Query64(const TileProblem<double>& p, std::size_t b, std::size_t n, Rows<double> q, std::span<double> t) {
  QueryGradientBlock(p, b, n, q, t);
}
void Key32(const TileProblem<float>& p, std::size_t b, std::size_t n, Rows<float> k, Rows<float> v) {
  KeyGradientBlock(p, b, n, k, v);
}
void Key64(const TileProblem<double>& p, std::size_t b, std::size_t n, Rows<double> k, Rows<double> v) {
  KeyGradientBlock(p, b, n, k, v);
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::attention {

HWY_EXPORT(Width32);
HWY_EXPORT(Width64);
HWY_EXPORT(Forward32);
HWY_EXPORT(Forward64);
HWY_EXPORT(Query32);
HWY_EXPORT(Query64);
HWY_EXPORT(Key32);
HWY_EXPORT(Key64);

template <>
std::size_t block_width<float>() {
  return HWY_DYNAMIC_DISPATCH(Width32)();
}
template <>
std::size_t block_width<double>() {
  return HWY_DYNAMIC_DISPATCH(Width64)();
}
template <>
void forward_block(const TileProblem<float>& p, std::size_t b, std::size_t n, Rows<float> output) {
  HWY_DYNAMIC_DISPATCH(Forward32)(p, b, n, output);
}
template <>
void forward_block(const TileProblem<double>& p, std::size_t b, std::size_t n, Rows<double> output) {
  HWY_DYNAMIC_DISPATCH(Forward64)(p, b, n, output);
}
template <>
void query_gradient_block(const TileProblem<float>& p, std::size_t b, std::size_t n, Rows<float> q,
                          std::span<float> t) {
  HWY_DYNAMIC_DISPATCH(Query32)(p, b, n, q, t);
}
template <>
void query_gradient_block(const TileProblem<double>& p, std::size_t b, std::size_t n, Rows<double> q,
                          std::span<double> t) {
  HWY_DYNAMIC_DISPATCH(Query64)(p, b, n, q, t);
}
template <>
void key_gradient_block(const TileProblem<float>& p, std::size_t b, std::size_t n, Rows<float> k, Rows<float> v) {
  HWY_DYNAMIC_DISPATCH(Key32)(p, b, n, k, v);
}
template <>
void key_gradient_block(const TileProblem<double>& p, std::size_t b, std::size_t n, Rows<double> k, Rows<double> v) {
  HWY_DYNAMIC_DISPATCH(Key64)(p, b, n, k, v);
}

}  // namespace quench::attention
#endif  // HWY_ONCE
