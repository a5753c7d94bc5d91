# Tests of the harness, and of its tests.
find_package(cmocka CONFIG REQUIRED)
add_executable(test_harness harness/tests/test_harness.c harness/tests/test_compare.c
  harness/tests/test_group.c harness/tests/test_data.c harness/tests/test_runs.c
  harness/tests/test_bench.c harness/tests/test_cells.c harness/tests/test_family.c harness/tests/test_reach.c
  harness/tests/test_runtime.c)
target_compile_definitions(test_harness PRIVATE _GNU_SOURCE)
target_include_directories(test_harness PRIVATE ${CMOCKA_INCLUDE_DIR})
target_link_libraries(test_harness PRIVATE ck_harness ck_flags ${CMOCKA_LIBRARIES})
add_test(NAME harness COMMAND test_harness)
set_tests_properties(harness PROPERTIES LABELS "unit;harness")
# Sanitizers before LLVM 16 take what lies before a library's thread-local block for a header of glibc 2.19's
# if the block is 16 bytes into a page, as one of a library that the test loads may be; LeakSanitizer then
# scans whatever addresses are in it, and dies (sanitizer_tls_get_addr.cpp).
if(CK_SANITIZE)
  set_property(TEST harness PROPERTY ENVIRONMENT ASAN_OPTIONS=intercept_tls_get_addr=0)
endif()

add_test(NAME cli COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/cli.sh $<TARGET_FILE:ckparity>
  ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})
# A command that ends with an error leaves its memory to the exit.
set_tests_properties(cli PROPERTIES LABELS "unit;cli" TIMEOUT 1800
  ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)

add_test(NAME bench COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/bench.sh $<TARGET_FILE:ckparity>
  ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})
set_tests_properties(bench PROPERTIES LABELS "unit;bench" ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)

# These compile many small libraries by the default compiler: once, without a sanitizer, is enough,
# and once more for coverage.
set(HN_ONCE OFF)
if(CMAKE_BUILD_TYPE STREQUAL Release AND (CMAKE_C_COMPILER_ID STREQUAL GNU OR
    CMAKE_C_FLAGS MATCHES profile))
  set(HN_ONCE ON)
endif()
if(HN_ONCE)
  add_test(NAME tools COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/tools.sh $<TARGET_FILE:ckparity>
    ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})
  set_tests_properties(tools PROPERTIES LABELS "unit;tools" TIMEOUT 900)
  add_test(NAME docs COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/docs.sh $<TARGET_FILE:ckparity>
    ${CMAKE_SOURCE_DIR})
  add_test(NAME docs.add-a-kernel COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/docs.sh
    $<TARGET_FILE:ckparity> ${CMAKE_SOURCE_DIR} docs/add-a-kernel.md)
  add_test(NAME docs.wrong COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/docs_wrong.sh
    $<TARGET_FILE:ckparity> ${CMAKE_SOURCE_DIR})
  set_tests_properties(docs docs.add-a-kernel docs.wrong PROPERTIES LABELS "unit;docs" TIMEOUT 600
    SKIP_RETURN_CODE 77)
  set_tests_properties(docs.add-a-kernel PROPERTIES PROCESSORS 2)
  add_test(NAME emitted COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/emitted.sh $<TARGET_FILE:ckparity>)
  set_tests_properties(emitted PROPERTIES LABELS "selftest" TIMEOUT 1800 SKIP_RETURN_CODE 77)
  # shrunk cases are minimal: of one op here; `ckparity selftest --shrink` tries all, for many minutes
  add_test(NAME selftest.shrink COMMAND ckparity selftest --shrink quantize_row_q8_0.*)
  set_tests_properties(selftest.shrink PROPERTIES LABELS selftest PROCESSORS 2 TIMEOUT 1800)
endif()

# The mutants as a subject: what they do wrong is shown by emitted C files, too.
add_library(ckparity_mutants SHARED harness/selftest/plugin.c
  ${HN_MUTANTS} harness/dtype.c kernels/cpu.c)
target_compile_definitions(ckparity_mutants PRIVATE _GNU_SOURCE)
target_compile_options(ckparity_mutants PRIVATE $<$<COMPILE_LANGUAGE:C>:-O2>)
target_include_directories(ckparity_mutants PRIVATE harness kernels kernels/include/ck ref)
target_link_libraries(ckparity_mutants PRIVATE ck_flags dl m)

add_test(NAME museum COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/museum.sh $<TARGET_FILE:ckparity>
  ${CMAKE_SOURCE_DIR})
set_tests_properties(museum PROPERTIES LABELS "unit;docs")

# Everything that runs here, at the instruction sets that CK_ISA_MAX leaves. Traces of sanitized kernels
# are of other instructions than anybody's.
set(CK_NO_TRACE)
if(CK_SANITIZE)
  set(CK_NO_TRACE --no-trace)
endif()
add_test(NAME smoke COMMAND ckparity run --suite smoke --cells ${CK_NO_TRACE})
set_tests_properties(smoke PROPERTIES LABELS "smoke;quick" SKIP_RETURN_CODE 77 PROCESSORS 2
  TIMEOUT 1800)
# Generated runtimes of any kind.
add_test(NAME runtime.drawn COMMAND ckparity run
  --suite ${CMAKE_SOURCE_DIR}/harness/suites/runtime.cases)
set_tests_properties(runtime.drawn PROPERTIES LABELS "smoke" SKIP_RETURN_CODE 77 PROCESSORS 2
  TIMEOUT 1800)
# Public decoders in part.
add_test(NAME runtime.models COMMAND ckparity run
  --suite ${CMAKE_SOURCE_DIR}/harness/suites/models.cases)
set_tests_properties(runtime.models PROPERTIES LABELS "smoke" SKIP_RETURN_CODE 77 PROCESSORS 2
  TIMEOUT 1800)
add_test(NAME selftest COMMAND ckparity selftest)
set_tests_properties(selftest PROPERTIES LABELS "selftest;quick" PROCESSORS 2 TIMEOUT 1800)

# Other libraries, where they are installed: nothing fails but what is known.
file(GLOB expectations CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/harness/subject/*.expect)
foreach(file IN LISTS expectations)
  get_filename_component(peer ${file} NAME_WE)
  add_test(NAME subject.${peer} COMMAND ${CMAKE_SOURCE_DIR}/ci/peer.sh ${peer}
    $<TARGET_FILE:ckparity>)
  set_tests_properties(subject.${peer} PROPERTIES LABELS "subject" SKIP_RETURN_CODE 77 PROCESSORS 2
    TIMEOUT 1800)
endforeach()

# A wrong harness: the same program with one function of the harness replaced by the linker. Its
# selftest (with OPTION) must miss MUTANT.
function(hn_wrong name function mutant)
  add_executable(wrong_${name} harness/main.c harness/tests/wrong_${name}.c)
  target_compile_definitions(wrong_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(wrong_${name} PRIVATE ck_harness ck_flags)
  target_link_options(wrong_${name} PRIVATE -Wl,--wrap=${function})
  add_test(NAME selftest.wrong_${name} COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/wrong.sh
    $<TARGET_FILE:wrong_${name}> ${mutant} ${ARGN})
  set_tests_properties(selftest.wrong_${name} PROPERTIES LABELS selftest TIMEOUT 1800)
endfunction()
hn_wrong(first_row hn_compare gemm_nt_f32.last_row.fast)
hn_wrong(radius hn_compare exp_f32.four_u.fast)
hn_wrong(reference hn_compare exp_f32.first_element.fast)
hn_wrong(nan hn_compare exp_f32.nan_swallowed.fast)
hn_wrong(shape hn_suite_case exp_f32.residue_five.fast)
hn_wrong(place hn_place_operand exp_f32.reads_after_1.fast)
hn_wrong(junk hn_paint_slack gemm_nt_f32.beta_zero_reads_c.fast)
hn_wrong(prefill hn_paint exp_f32.last_unwritten.fast)
hn_wrong(canary hn_find_overwrite softmax_causal_f32.writes_slack.fast)
hn_wrong(call hn_call exp_f32.clobbers_rbx.fast)
hn_wrong(trace hn_call_traced gemm_nt_f32.scalar_as_sse41.fast)
hn_wrong(crash hn_call exp_f32.writes_null.fast)
hn_wrong(stage hn_rt_check runtime.last_row_of_mlp)
hn_wrong(stretch hn_rt_written runtime.kernel_row_more)
hn_wrong(format hn_rt_format_fit runtime.fallback_ignored)
hn_wrong(encode hn_rt_encode runtime.kernel_scale_of_neighbour)
hn_wrong(shrink hn_shrink_case exp_f32.nan_invented.fast --shrink)

# Golden digests, a test a file; a fast one is skipped where its instruction set is missing, and an
# instruction set without a file is a skipped test as well.
file(GLOB digests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/golden/*.digests)
foreach(file IN LISTS digests)
  get_filename_component(name ${file} NAME_WE)
  add_test(NAME golden.${name} COMMAND ckparity digest --check ${file})
  set_tests_properties(golden.${name} PROPERTIES LABELS "unit;golden" SKIP_RETURN_CODE 77)
endforeach()
foreach(row IN LISTS rows)
  string(REGEX REPLACE ".*, ([a-z0-9]+)\\).*" "\\1" isa "${row}")
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/golden/fast-${isa}.digests AND NOT TEST golden.fast-${isa})
    add_test(NAME golden.fast-${isa} COMMAND ${CMAKE_COMMAND} -E echo "SKIP no golden/fast-${isa}.digests")
    set_tests_properties(golden.fast-${isa} PROPERTIES LABELS "unit;golden"
      SKIP_REGULAR_EXPRESSION "^SKIP")
  endif()
endforeach()
add_test(NAME golden.bounds COMMAND ckparity bounds --suite ${CMAKE_SOURCE_DIR}/golden/cases.cases
  --check ${CMAKE_SOURCE_DIR}/golden/bounds)
set_tests_properties(golden.bounds PROPERTIES LABELS "unit;golden")
add_test(NAME golden COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/golden.sh $<TARGET_FILE:ckparity>
  ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})
set_tests_properties(golden PROPERTIES LABELS "unit;golden")

# The history is built by the default compiler, whatever this build's.
if(HN_ONCE)
  add_test(NAME bisect COMMAND ${CMAKE_SOURCE_DIR}/harness/tests/bisect.sh $<TARGET_FILE:ckparity>
    ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})
  set_tests_properties(bisect PROPERTIES LABELS "slow;bisect" SKIP_RETURN_CODE 77 TIMEOUT 1200
    PROCESSORS 2)
endif()
