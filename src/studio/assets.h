// The page's files as part of the program; written by cmake/QuenchAssets.cmake from build/web, empty if there are none.
#pragma once

#include <span>
#include <string_view>

namespace quench::studio {

struct Asset {
  std::string_view name;  ///< "studio.js"
  std::string_view type;  ///< "text/javascript; charset=utf-8"
  std::string_view content;
};
std::span<const Asset> assets();

inline const Asset* find_asset(std::string_view name) {
  for (const Asset& asset : assets())
    if (asset.name == name) return &asset;
  return nullptr;
}

}  // namespace quench::studio
