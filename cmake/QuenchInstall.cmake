# `make install`: the program with its manual pages and shell completion, the library with its public headers, and a
# CMake package (find_package(quench)).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME quench)

install(TARGETS quench EXPORT quenchTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS quench_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET quench_mpi)
  install(TARGETS quench_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi OPTIONAL)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/quench DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# What the program says of itself is written when it is installed, by the program.
install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:quench_cli> -DSHARE=${PROJECT_BINARY_DIR}/share
  -P ${PROJECT_SOURCE_DIR}/cmake/QuenchPages.cmake COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quench)
install(EXPORT quenchTargets NAMESPACE quench:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/quenchConfig.cmake.in
  ${PROJECT_BINARY_DIR}/quenchConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/quenchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/quenchConfig.cmake ${PROJECT_BINARY_DIR}/quenchConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindArb.cmake ${PROJECT_SOURCE_DIR}/cmake/FindGmp.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
