# quench_folder(name DEPENDS a b ... LINK lib ...): the folder src/<name> as one object library.
# DEPENDS lists the folders it may include, as in docs/overview.md; tests/conventions checks the includes themselves.

add_library(quench_flags INTERFACE)
target_compile_options(quench_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                       -Wpedantic -Werror=switch -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(quench_flags INTERFACE -Wno-restrict)  # false alarms of g++ 12 on std::string (GCC bug 105651)
endif()
if(QUENCH_SANITIZE)
  # Optimised enough that the tests end, with line numbers for reports, and little else to compile.
  set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1" CACHE STRING "" FORCE)
  target_compile_options(quench_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(quench_flags INTERFACE -fsanitize=address,undefined)
endif()

function(quench_folder name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.h)
  if(sources)
    add_library(quench_${name} OBJECT ${sources} ${headers})
    set_target_properties(quench_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(quench_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(quench_${name} PRIVATE quench_flags PUBLIC ${ARG_LINK})
    target_sources(quench PRIVATE $<TARGET_OBJECTS:quench_${name}>)
    # Headers of the folders below may pull in their libraries.
    foreach(below ${ARG_DEPENDS})
      if(TARGET quench_${below})
        target_link_libraries(quench_${name} PRIVATE $<TARGET_PROPERTY:quench_${below},INTERFACE_LINK_LIBRARIES>)
      endif()
    endforeach()
    target_link_libraries(quench PUBLIC ${ARG_LINK})
  endif()
endfunction()
