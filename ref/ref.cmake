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
add_executable(test_ref ref/tests/test_ref.c ref/tests/identities.c)
add_executable(test_ref_attention ref/tests/test_attention.c)
add_executable(test_ref_quant_32 ref/tests/test_quant_32.c)
add_executable(test_ref_quant_k ref/tests/test_quant_k.c)
add_executable(test_ref_gemm_w ref/tests/test_gemm_w.c)
foreach(test test_ref test_ref_attention test_ref_gemm_w test_ref_quant_32 test_ref_quant_k)
  target_include_directories(${test} PRIVATE ${CMOCKA_INCLUDE_DIR})
  target_link_libraries(${test} PRIVATE ck_ref ck_flags ${CMOCKA_LIBRARIES} mpfr)
endforeach()
add_test(NAME ref COMMAND test_ref)
add_test(NAME ref.attention COMMAND test_ref_attention)
add_test(NAME ref.quant_32 COMMAND test_ref_quant_32)
add_test(NAME ref.quant_k COMMAND test_ref_quant_k)
add_test(NAME ref.gemm_w COMMAND test_ref_gemm_w)
set_tests_properties(ref ref.attention ref.gemm_w ref.quant_32 ref.quant_k PROPERTIES
  LABELS "unit;ref")
