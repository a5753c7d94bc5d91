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
add_executable(test_ref ref/tests/test_ref.c)
target_include_directories(test_ref PRIVATE ${CMOCKA_INCLUDE_DIR})
target_link_libraries(test_ref PRIVATE ck_ref ck_flags ${CMOCKA_LIBRARIES} mpfr)
add_test(NAME ref COMMAND test_ref)
set_tests_properties(ref PROPERTIES LABELS "unit;ref")
