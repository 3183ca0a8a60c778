#include "attention/kernel/tile_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/kernel/tile_blocks.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "attention/kernel/tile_gradient-inl.h"
#include "attention/kernel/tile_queries-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

// Highway dispatches plain functions, not templates.
std::size_t Width32() { return width<float>(); }
std::size_t Width64() { return width<double>(); }
void Forward32(const TileProblem<float>& p, std::size_t b, std::size_t n, Rows<float> o) { ForwardBlocks(p, b, n, o); }
void Forward64(const TileProblem<double>& p, std::size_t b, std::size_t n, Rows<double> o) {
  ForwardBlocks(p, b, n, o);
}
void Pack32(const TileProblem<float>& p, const GradientSpace<float>& s, std::size_t g) { PackGroup(p, s, g); }
void Pack64(const TileProblem<double>& p, const GradientSpace<double>& s, std::size_t g) { PackGroup(p, s, g); }
void Cells32(const TileProblem<float>& p, const GradientSpace<float>& s, CellRange r) { GradientCells(p, s, r); }
void Cells64(const TileProblem<double>& p, const GradientSpace<double>& s, CellRange r) { GradientCells(p, s, r); }
void Unpack32(const TileProblem<float>& p, const GradientSpace<float>& s, std::size_t g, Rows<float> k, Rows<float> v) {
  UnpackGroup(p, s, g, k, v);
}
void Unpack64(const TileProblem<double>& p, const GradientSpace<double>& s, std::size_t g, Rows<double> k,
              Rows<double> v) {
  UnpackGroup(p, s, g, k, v);
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::attention {

HWY_EXPORT(Width32);
HWY_EXPORT(Width64);
HWY_EXPORT(Forward32);
HWY_EXPORT(Forward64);
HWY_EXPORT(Pack32);
HWY_EXPORT(Pack64);
HWY_EXPORT(Cells32);
HWY_EXPORT(Cells64);
HWY_EXPORT(Unpack32);
HWY_EXPORT(Unpack64);

template <>
std::size_t block_width<float>() {
  return HWY_DYNAMIC_DISPATCH(Width32)();
}
template <>
std::size_t block_width<double>() {
  return HWY_DYNAMIC_DISPATCH(Width64)();
}
template <>
void forward_blocks(const TileProblem<float>& p, std::size_t b, std::size_t n, Rows<float> output) {
  HWY_DYNAMIC_DISPATCH(Forward32)(p, b, n, output);
}
template <>
void forward_blocks(const TileProblem<double>& p, std::size_t b, std::size_t n, Rows<double> output) {
  HWY_DYNAMIC_DISPATCH(Forward64)(p, b, n, output);
}
template <>
void pack_group(const TileProblem<float>& p, const GradientSpace<float>& s, std::size_t group) {
  HWY_DYNAMIC_DISPATCH(Pack32)(p, s, group);
}
template <>
void gradient_cells(const TileProblem<float>& p, const GradientSpace<float>& s, CellRange range) {
  HWY_DYNAMIC_DISPATCH(Cells32)(p, s, range);
}
template <>
void unpack_group(const TileProblem<float>& p, const GradientSpace<float>& s, std::size_t group, Rows<float> d_k,
                  Rows<float> d_v) {
  HWY_DYNAMIC_DISPATCH(Unpack32)(p, s, group, d_k, d_v);
}
template <>
void pack_group(const TileProblem<double>& p, const GradientSpace<double>& s, std::size_t group) {
  HWY_DYNAMIC_DISPATCH(Pack64)(p, s, group);
}
template <>
void gradient_cells(const TileProblem<double>& p, const GradientSpace<double>& s, CellRange range) {
  HWY_DYNAMIC_DISPATCH(Cells64)(p, s, range);
}
template <>
void unpack_group(const TileProblem<double>& p, const GradientSpace<double>& s, std::size_t group, Rows<double> d_k,
                  Rows<double> d_v) {
  HWY_DYNAMIC_DISPATCH(Unpack64)(p, s, group, d_k, d_v);
}

}  // namespace quench::attention
#endif  // HWY_ONCE
