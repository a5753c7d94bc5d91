# Fuzz targets. Every preset builds replay_NAME, which runs a target on files; with CK_FUZZ also
# fuzz_NAME, for libFuzzer (the whole build with -fsanitize=fuzzer-no-link) or AFL++ (with its compiler).
set(CK_FUZZ "" CACHE STRING "Fuzzer of the fuzz_ targets: libfuzzer, afl, or none")
set(FZ_AFL_DRIVER /usr/lib/afl/libAFLDriver.a CACHE FILEPATH "AFL++'s main for libFuzzer targets")

# fz_target(name mutator source...)
function(fz_target name mutator)
  add_library(fz_${name} OBJECT ${ARGN})
  target_compile_definitions(fz_${name} PRIVATE _GNU_SOURCE)
  target_compile_options(fz_${name} PRIVATE -O2)
  target_link_libraries(fz_${name} PRIVATE ck_harness ck_flags)
  set(programs replay_${name})
  add_executable(replay_${name} fuzz/main.c)
  target_compile_definitions(replay_${name} PRIVATE _GNU_SOURCE)
  if(CK_FUZZ STREQUAL libfuzzer)
    add_executable(fuzz_${name} ${mutator} $<TARGET_OBJECTS:fz_${name}>)
    target_include_directories(fuzz_${name} PRIVATE harness)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(fuzz_${name} PROPERTIES LINKER_LANGUAGE C)
    list(APPEND programs fuzz_${name})
  elseif(CK_FUZZ STREQUAL afl)
    add_executable(fuzz_${name} $<TARGET_OBJECTS:fz_${name}>)
    target_link_libraries(fuzz_${name} PRIVATE ${FZ_AFL_DRIVER})
    set_target_properties(fuzz_${name} PROPERTIES LINKER_LANGUAGE C)
    list(APPEND programs fuzz_${name})
  elseif(CK_FUZZ)
    message(FATAL_ERROR "CK_FUZZ=${CK_FUZZ} is none of libfuzzer, afl")
  endif()
  foreach(program IN LISTS programs)
    target_link_libraries(${program} PRIVATE fz_${name} ck_harness ck_flags)
  endforeach()
  add_test(NAME fuzz.replay.${name} COMMAND replay_${name} ${CMAKE_SOURCE_DIR}/fuzz/corpus/${name})
  set_tests_properties(fuzz.replay.${name} PROPERTIES LABELS "unit;fuzz")
endfunction()
fz_target(cases fuzz/mutate.c fuzz/entry.c fuzz/batch.c)
fz_target(text "" fuzz/text.c)
fz_target(model "" fuzz/model.c)
target_link_libraries(fz_model PUBLIC ck_codegen)

# AFL++'s mutator is loaded into afl-fuzz itself, so it is of a build without a fuzzer's counters.
if(NOT CK_FUZZ)
  add_library(fz_mutator SHARED fuzz/afl_mutator.c fuzz/mutate.c)
  target_include_directories(fz_mutator PRIVATE harness)
  target_link_libraries(fz_mutator PRIVATE ck_flags)
endif()

# The fuzzers' own test: a subject with a fault, which must be found.
add_library(ckparity_planted SHARED fuzz/planted.c)
target_include_directories(ckparity_planted PRIVATE kernels/include/ck)
target_link_libraries(ckparity_planted PRIVATE ck_flags)
add_test(NAME fuzz.planted COMMAND ${CMAKE_SOURCE_DIR}/fuzz/planted.sh ${CMAKE_BINARY_DIR}
  $<TARGET_FILE:replay_cases> ${CMAKE_SOURCE_DIR}/fuzz/corpus/cases)
set_tests_properties(fuzz.planted PROPERTIES LABELS "unit;fuzz")

# Cases that once showed a disagreement; a file each.
file(GLOB FZ_REGRESSIONS CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/fuzz/regressions
  ${CMAKE_SOURCE_DIR}/fuzz/regressions/*.case)
foreach(file IN LISTS FZ_REGRESSIONS)
  string(REGEX REPLACE "\\.case$" "" name ${file})
  set(file ${CMAKE_SOURCE_DIR}/fuzz/regressions/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} line REGEX "^[^#]")
  add_test(NAME fuzz.regression.${name} COMMAND ckparity run ${line})
  set_tests_properties(fuzz.regression.${name} PROPERTIES LABELS "unit;fuzz" SKIP_RETURN_CODE 77)
endforeach()

# Seeded and short: what a fuzzer finds in ten seconds is found in every run.
if(CK_FUZZ STREQUAL libfuzzer)
  add_test(NAME fuzz.smoke.cases COMMAND ${CMAKE_SOURCE_DIR}/fuzz/smoke.sh $<TARGET_FILE:fuzz_cases>
    ${CMAKE_SOURCE_DIR}/fuzz/corpus/cases -runs=1000 -max_len=1152)
  add_test(NAME fuzz.smoke.text COMMAND ${CMAKE_SOURCE_DIR}/fuzz/smoke.sh $<TARGET_FILE:fuzz_text>
    ${CMAKE_SOURCE_DIR}/fuzz/corpus/text -runs=15000 -max_len=512
    -dict=${CMAKE_SOURCE_DIR}/fuzz/text.dict)
  add_test(NAME fuzz.smoke.model COMMAND ${CMAKE_SOURCE_DIR}/fuzz/smoke.sh $<TARGET_FILE:fuzz_model>
    ${CMAKE_SOURCE_DIR}/fuzz/corpus/model -runs=15000 -max_len=4096
    -dict=${CMAKE_SOURCE_DIR}/fuzz/model.dict)
  add_test(NAME fuzz.smoke.planted COMMAND ${CMAKE_SOURCE_DIR}/fuzz/planted.sh ${CMAKE_BINARY_DIR}
    ${CMAKE_SOURCE_DIR}/fuzz/smoke.sh $<TARGET_FILE:fuzz_cases>
    ${CMAKE_BINARY_DIR}/nothing -runs=20000 -max_len=1152)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/nothing) # no corpus: the mutator must find it
  set_tests_properties(fuzz.smoke.cases fuzz.smoke.text fuzz.smoke.model fuzz.smoke.planted PROPERTIES
    LABELS fuzz-smoke TIMEOUT 120)
endif()

# Emulators: once, from preset release.
if(CMAKE_BINARY_DIR STREQUAL "${CMAKE_SOURCE_DIR}/build/release")
  foreach(lane valgrind qemu)
    add_test(NAME lane.${lane} COMMAND ${CMAKE_SOURCE_DIR}/ci/${lane}.sh ${CMAKE_BINARY_DIR})
    set_tests_properties(lane.${lane} PROPERTIES LABELS ${lane} SKIP_RETURN_CODE 77 TIMEOUT 300)
  endforeach()
endif()
