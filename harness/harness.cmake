# The deliberately wrong kernels: all of selftest but those that try them.
file(GLOB HN_MUTANTS RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS harness/selftest/*.c harness/selftest/*.S)
list(REMOVE_ITEM HN_MUTANTS harness/selftest/selftest.c harness/selftest/minimal.c harness/selftest/plugin.c)

file(GLOB HN_FAMILIES RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS harness/family/*.c)

# Generated runtimes: compiled in this process, and linked with the kernels of this program.
file(GLOB HN_RUNTIME RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS harness/runtime/*.c)
find_library(HN_LIBTCC tcc)
find_path(HN_LIBTCC_INCLUDE libtcc.h)

# The generic machinery, the families and the program.
set(HN_SOURCES
  harness/bisect/arguments.c harness/bisect/bisect.c harness/bisect/commits.c
  harness/bisect/library.c harness/bisect/matrix.c harness/bisect/report.c harness/digest.c harness/process.c
  harness/bounds.c harness/bench.c harness/bench/bench.c harness/bench/contest.c harness/bench/limits.c
  harness/bench/print.c harness/bench/statistics.c
  harness/call.c harness/cells.c harness/capture.c harness/call_x86_64.S harness/case.c harness/compare.c harness/diagnose.c
  harness/dtype.c
  harness/emit.c harness/emit/repro.S harness/expect.c harness/fill.c harness/fill_block.c harness/fill_format.c
  harness/fill_integer.c
  harness/group.c harness/group/bits.c harness/group/calls.c harness/group/operands.c harness/group/values.c
  harness/isolate.c harness/json.c
  harness/ops.c harness/place.c harness/reach.c harness/report.c
  harness/run.c harness/shrink.c harness/subject.c harness/suite.c harness/tools.c harness/trace.c
  harness/suites/suites.S
  ${HN_FAMILIES} ${HN_RUNTIME} harness/selftest/selftest.c harness/selftest/minimal.c ${HN_MUTANTS})

# The ceilings: each with the flags of the kernels that it limits.
foreach(isa scalar sse41 avx2 avxvnni avx512 avx512vnni)
  list(APPEND HN_SOURCES harness/bench/ceiling_${isa}.c)
  set_source_files_properties(harness/bench/ceiling_${isa}.c PROPERTIES
    COMPILE_OPTIONS "${CK_OPTIONS_${isa}}")
endforeach()

set_source_files_properties(harness/suites/suites.S PROPERTIES
  INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR}/harness/suites
  OBJECT_DEPENDS "${CMAKE_SOURCE_DIR}/harness/suites/smoke.cases;${CMAKE_SOURCE_DIR}/harness/suites/ci.cases;${CMAKE_SOURCE_DIR}/harness/suites/nightly.cases;${CMAKE_SOURCE_DIR}/harness/suites/bench.cases")

set_source_files_properties(harness/emit/repro.S PROPERTIES
  INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR}/harness/emit
  OBJECT_DEPENDS ${CMAKE_SOURCE_DIR}/harness/emit/repro.c.in)

execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE HN_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(HN_COMMIT)
  set_source_files_properties(harness/json.c PROPERTIES COMPILE_DEFINITIONS HN_COMMIT="${HN_COMMIT}")
endif()

add_library(ck_harness STATIC ${HN_SOURCES})
target_compile_definitions(ck_harness PRIVATE _GNU_SOURCE)
target_compile_options(ck_harness PRIVATE $<$<COMPILE_LANGUAGE:C>:-O2>)
target_include_directories(ck_harness PUBLIC harness kernels)
target_link_libraries(ck_harness PRIVATE ck_flags PUBLIC ck_model_objects ck_codegen ck_objects ck_ref dl m)
if(HN_LIBTCC AND HN_LIBTCC_INCLUDE)
  set_source_files_properties(harness/runtime/program.c PROPERTIES
    INCLUDE_DIRECTORIES ${HN_LIBTCC_INCLUDE}
    COMPILE_DEFINITIONS "HN_RUNTIME_INCLUDE=\"${CMAKE_SOURCE_DIR}/codegen/runtime\";HN_KERNEL_INCLUDE=\"${CMAKE_SOURCE_DIR}/kernels/include/ck\"")
  target_link_libraries(ck_harness PUBLIC ${HN_LIBTCC})
endif()

add_executable(ckparity harness/main.c)
target_compile_definitions(ckparity PRIVATE _GNU_SOURCE)
target_link_libraries(ckparity PRIVATE ck_harness ck_flags)

include(harness/subject/subject.cmake)
include(harness/tests/tests.cmake)
include(harness/mutate/mutate.cmake)
