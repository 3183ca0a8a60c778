# Debian packages by CPack (`make dist`): `quench`, and `quench-mpi` where MPI was found. With SOURCE_DATE_EPOCH set, the
# same build gives the same bytes.
set(CPACK_PACKAGE_NAME quench)
set(CPACK_PACKAGE_VENDOR "The Quench authors")
set(CPACK_PACKAGE_CONTACT "The Quench authors <quench@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL quench)
if(TARGET quench_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_QUENCH_PACKAGE_NAME quench)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME quench-mpi)
set(CPACK_DEBIAN_QUENCH_DESCRIPTION "Rules as the weights of soft-attention transformers
 Compiles temporal-logic formulas, regular expressions, automata and programs
 into transformers, certifies up to which length they are right, and runs them.")
set(CPACK_DEBIAN_MPI_DESCRIPTION "Campaigns of Quench on the ranks of an MPI program
 Tests of compiled transformers, cut into pieces for many machines.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
