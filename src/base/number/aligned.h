// Vectors whose first element begins a cache line: a load of 64 bytes from anywhere else touches two (measured in
// bench/README.md).
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace quench {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, kLine); }
  bool operator==(const CacheLineAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace quench
