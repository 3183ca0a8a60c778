// 128-bit integers, an extension of both compilers we support.
#pragma once

namespace quench {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

}  // namespace quench
