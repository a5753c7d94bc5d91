# The kernels above AVX2 on a machine that cannot run them: once, from preset release.
if(CMAKE_BINARY_DIR STREQUAL "${CMAKE_SOURCE_DIR}/build/release")
  add_test(NAME emulated.simde COMMAND ${CMAKE_SOURCE_DIR}/ci/simde.sh)
  add_test(NAME emulated.bochs COMMAND ${CMAKE_SOURCE_DIR}/ci/emulate.sh)
  set_tests_properties(emulated.simde emulated.bochs PROPERTIES
    LABELS emulated SKIP_RETURN_CODE 77 TIMEOUT 960)
  set_tests_properties(emulated.simde PROPERTIES PROCESSORS 2)
endif()
