# Arb: ball arithmetic. A library of its own (flint-arb) up to FLINT 2, part of FLINT from version 3 on.
find_path(ARB_INCLUDE_DIR NAMES arb.h PATH_SUFFIXES flint)
find_library(ARB_LIBRARY NAMES flint-arb arb flint)
find_library(FLINT_LIBRARY NAMES flint)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arb REQUIRED_VARS ARB_LIBRARY FLINT_LIBRARY ARB_INCLUDE_DIR)
if(Arb_FOUND AND NOT TARGET Arb::Arb)
  add_library(Arb::Arb INTERFACE IMPORTED)
  set_target_properties(Arb::Arb PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${ARB_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${ARB_LIBRARY};${FLINT_LIBRARY}")
endif()
mark_as_advanced(ARB_INCLUDE_DIR ARB_LIBRARY FLINT_LIBRARY)
