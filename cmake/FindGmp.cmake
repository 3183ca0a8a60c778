# GMP with its C++ classes (exact rationals of the IR interpreter).
find_path(GMPXX_INCLUDE_DIR NAMES gmpxx.h)
find_library(GMP_LIBRARY NAMES gmp)
find_library(GMPXX_LIBRARY NAMES gmpxx)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gmp REQUIRED_VARS GMPXX_LIBRARY GMP_LIBRARY GMPXX_INCLUDE_DIR)
if(Gmp_FOUND AND NOT TARGET Gmp::Gmpxx)
  add_library(Gmp::Gmpxx INTERFACE IMPORTED)
  set_target_properties(Gmp::Gmpxx PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${GMPXX_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${GMPXX_LIBRARY};${GMP_LIBRARY}")
endif()
mark_as_advanced(GMPXX_INCLUDE_DIR GMP_LIBRARY GMPXX_LIBRARY)
