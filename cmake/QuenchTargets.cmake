# quench_folder(name [COLD] [BY_FOLDER] [APART] DEPENDS a b ... LINK lib ...): the folder src/<name>, with the folders in it, as one object library
# of `quench`; APART, as a library of its own, which clients of the package do not get.
# DEPENDS lists the folders it may include, as in docs/overview.md; tests/conventions checks the includes themselves.

add_library(quench_flags INTERFACE)
target_compile_options(quench_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                       -Wpedantic -Werror=switch -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(quench_flags INTERFACE -Wno-restrict  # false alarms of g++ 12 on std::string (GCC bug 105651)
                         -Wno-subobject-linkage)  # of files that are compiled together
  # Collecting garbage is an eighth of what compiling many files together takes. Two compilers at a time stay below 4 GB.
  cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # in MiB
  if(memory GREATER 7000)
    target_compile_options(quench_flags INTERFACE --param=ggc-min-heapsize=1048576)
  endif()
endif()
# Kernels are compiled for SSE2, AVX2 and AVX-512: what came between the first two is on few machines that have no AVX2.
target_compile_definitions(quench_flags INTERFACE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4)")
# For code where a program spends no time: it compiles faster than with -O3.
add_library(quench_cold INTERFACE)
target_compile_options(quench_cold INTERFACE $<$<CONFIG:Release>:-O1>)
# The presets `warnings` and `warnings-clang`, which are kept at zero.
option(QUENCH_WARNINGS "Warn of more, and take every warning for an error" OFF)
if(QUENCH_WARNINGS)
  target_compile_options(quench_flags INTERFACE -Werror -Wextra-semi -Wnon-virtual-dtor -Woverloaded-virtual
                         -Wold-style-cast)
endif()
if(QUENCH_SANITIZE)
  # Optimised enough that the tests end, with line numbers for reports, and little else to compile.
  set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1" CACHE STRING "" FORCE)
  target_compile_options(quench_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(quench_flags INTERFACE -fsanitize=address,undefined)
endif()
if(QUENCH_FUZZ)
  # Edges are counted everywhere; only the programs of fuzz/ have libFuzzer's main.
  target_compile_options(quench_flags INTERFACE -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(quench_flags INTERFACE -fsanitize=address,undefined)
endif()
if(QUENCH_TSAN)
  set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1" CACHE STRING "" FORCE)
  target_compile_options(quench_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_include_directories(quench_flags BEFORE INTERFACE ${PROJECT_SOURCE_DIR}/cmake/tsan)  # TBB by threads that it sees
  target_link_options(quench_flags INTERFACE -fsanitize=thread)
endif()
if(QUENCH_REPRODUCIBLE)  # no word of where it was built
  target_compile_options(quench_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)
endif()
if(QUENCH_COVERAGE)
  set(CMAKE_CXX_FLAGS_COVERAGE "-O1 -g1" CACHE STRING "" FORCE)
  target_compile_options(quench_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(quench_flags INTERFACE --coverage)
endif()

# quench_unity(target [BY_FOLDER]): compiles the files of a target together, forty at a time, which spares reading the same
# headers and instantiating the same templates again and again; with BY_FOLDER only those of one folder, where folders have
# names in common. Files that are compiled once per instruction set (Highway's foreach_target) stay alone, and so does a
# main. -DQUENCH_UNITY=OFF compiles every file by itself.
option(QUENCH_UNITY "Compile many files together" ON)
function(quench_unity target)
  if(NOT QUENCH_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    file(STRINGS ${source} targets REGEX "foreach_target" LIMIT_COUNT 1)
    if(targets OR source MATCHES "/main\\.cpp$")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    set(folder part)
    if(ARGN STREQUAL "BY_FOLDER")
      get_filename_component(folder ${source} DIRECTORY)
      file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
      string(MAKE_C_IDENTIFIER ${folder} folder)
    endif()
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR part "${count_${folder}} / 40")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# quench_precompiled(target kind [header...]): spares a target reading the usual large headers. Targets of one kind have the
# same options and share what is compiled; the first of them may name more headers. Sources include what they use all the
# same: -DQUENCH_UNITY=OFF compiles them without.
set(quench_usual_headers <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <optional>
    <random> <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map> <variant> <vector> <fmt/format.h>
    <fmt/ranges.h> <nlohmann/json.hpp>)
function(quench_precompiled target kind)
  if(NOT QUENCH_UNITY)
    return()
  endif()
  if(NOT TARGET quench_precompiled_${kind})
    file(CONFIGURE OUTPUT precompiled/${kind}.cpp CONTENT "// Only carries the precompiled headers.\n")
    add_library(quench_precompiled_${kind} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled/${kind}.cpp)
    target_link_libraries(quench_precompiled_${kind} PRIVATE quench_flags fmt::fmt nlohmann_json::nlohmann_json)
    if(kind MATCHES "cold|test|cli")
      target_link_libraries(quench_precompiled_${kind} PRIVATE quench_cold)
    endif()
    if(kind STREQUAL "test")
      target_link_libraries(quench_precompiled_${kind} PRIVATE GTest::gmock)
    endif()
    get_target_property(position_independent ${target} POSITION_INDEPENDENT_CODE)
    set_target_properties(quench_precompiled_${kind} PROPERTIES POSITION_INDEPENDENT_CODE ${position_independent})
    target_precompile_headers(quench_precompiled_${kind} PRIVATE ${quench_usual_headers} ${ARGN})
  endif()
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>
                             $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>)
  target_precompile_headers(${target} REUSE_FROM quench_precompiled_${kind})
endfunction()

function(quench_folder name)
  cmake_parse_arguments(ARG "COLD;BY_FOLDER;APART" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.h)
  if(sources)
    set(kind OBJECT)
    if(ARG_APART)
      set(kind STATIC)
    endif()
    add_library(quench_${name} ${kind} ${sources} ${headers})
    set_target_properties(quench_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(quench_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(quench_${name} PRIVATE quench_flags PUBLIC ${ARG_LINK})
    if(ARG_COLD)
      target_link_libraries(quench_${name} PRIVATE quench_cold)
    endif()
    if(ARG_BY_FOLDER)
      quench_unity(quench_${name} BY_FOLDER)
    else()
      quench_unity(quench_${name})
    endif()
    if(ARG_COLD)
      quench_precompiled(quench_${name} cold)
    else()
      quench_precompiled(quench_${name} hot)
    endif()
    if(ARG_APART)
      return()
    endif()
    target_sources(quench PRIVATE $<TARGET_OBJECTS:quench_${name}>)
    # Headers of the folders below may pull in their libraries.
    foreach(below ${ARG_DEPENDS})
      if(TARGET quench_${below})
        target_link_libraries(quench_${name} PRIVATE $<TARGET_PROPERTY:quench_${below},INTERFACE_LINK_LIBRARIES>)
      endif()
    endforeach()
    # Clients of the package link these libraries, but never see their headers.
    foreach(library ${ARG_LINK})
      target_link_libraries(quench PUBLIC $<BUILD_INTERFACE:${library}>)
      if(NOT library STREQUAL "nlohmann_json::nlohmann_json")  # headers alone
        target_link_libraries(quench PUBLIC $<INSTALL_INTERFACE:$<LINK_ONLY:${library}>>)
      endif()
    endforeach()
  endif()
endfunction()
