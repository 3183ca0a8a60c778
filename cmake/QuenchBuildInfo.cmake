# Writes what `quench --version` says of the build, at every build, and touches the file only if that has changed, so
# that one object is compiled again and no other: cmake -DOUTPUT=… -DSOURCE=… -DVERSION=… -DCOMPILER=… -DTYPE=… -P
# In an archive that git has made, the commit stands in a file; in a repository, git knows.
set(commit unknown)
file(STRINGS ${SOURCE}/cmake/commit.txt archived REGEX "^[0-9a-f]+$")
if(archived)
  string(SUBSTRING ${archived} 0 9 commit)
endif()
find_program(git_program git)
if(git_program AND EXISTS ${SOURCE}/.git)  # a copy without it may lie within somebody else's repository
  execute_process(COMMAND ${git_program} -C ${SOURCE} rev-parse --short=9 HEAD
    OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${head})
    execute_process(COMMAND ${git_program} --no-optional-locks -C ${SOURCE} diff --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET)
    if(changed)
      string(APPEND commit "+changes")
    endif()
  endif()
endif()
set(text "#define QUENCH_VERSION \"${VERSION}\"\n#define QUENCH_COMMIT \"${commit}\"\n")
string(APPEND text "#define QUENCH_COMPILER \"${COMPILER}\"\n#define QUENCH_BUILD_TYPE \"${TYPE}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
