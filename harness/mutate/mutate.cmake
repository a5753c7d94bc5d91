# Mutants of the sources. The linker puts the functions of witness.c before the harness's own.
add_executable(ckparity-mutate harness/mutate/main.c harness/mutate/answers.c
  harness/mutate/build.c harness/mutate/jobs.c harness/mutate/judge.c harness/mutate/mutate.c
  harness/mutate/sites.c harness/mutate/tables.c harness/mutate/token.c harness/mutate/witness.c)
target_compile_definitions(ckparity-mutate PRIVATE _GNU_SOURCE)
target_link_libraries(ckparity-mutate PRIVATE ck_harness ck_flags)
target_link_options(ckparity-mutate PRIVATE -Wl,--wrap=hn_record -Wl,--wrap=hn_compare)
add_test(NAME mutate COMMAND ${CMAKE_SOURCE_DIR}/harness/mutate/test/test.sh
  $<TARGET_FILE:ckparity-mutate> ${CMAKE_SOURCE_DIR})
set_tests_properties(mutate PROPERTIES LABELS "unit;harness"
  ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
