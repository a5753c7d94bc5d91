# References see ck_numspec.h of the kernels' headers and nothing else.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/ref_include)
configure_file(${CMAKE_SOURCE_DIR}/kernels/include/ck/ck_numspec.h
  ${CMAKE_BINARY_DIR}/ref_include/ck_numspec.h COPYONLY)

file(GLOB references CONFIGURE_DEPENDS ref/*.c)
add_library(ck_ref STATIC ${references})
target_include_directories(ck_ref PUBLIC ref ${CMAKE_BINARY_DIR}/ref_include)
target_compile_options(ck_ref PRIVATE -O3)
target_link_libraries(ck_ref PRIVATE ck_flags PUBLIC m)

find_package(cmocka CONFIG REQUIRED)
# ref/tests/test_X.c is the test ref.X.
foreach(test ref activation attention embedding gemm_i gemm_w gemm_wn kv layout loss model pack products quant_32 quant_k rope rows)
  if(test STREQUAL ref)
    set(target test_ref)
    set(name ref)
    set(sources ref/tests/test_ref.c ref/tests/identities.c)
  else()
    set(target test_ref_${test})
    set(name ref.${test})
    set(sources ref/tests/test_${test}.c)
  endif()
  add_executable(${target} ${sources})
  target_include_directories(${target} PRIVATE ${CMOCKA_INCLUDE_DIR})
  target_link_libraries(${target} PRIVATE ck_ref ck_flags ${CMOCKA_LIBRARIES} mpfr)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES LABELS "unit;ref")
endforeach()
