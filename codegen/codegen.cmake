# The generator: a library, the program ckgen, and their tests.
find_library(CG_JANSSON jansson REQUIRED)
find_path(CG_JANSSON_INCLUDE jansson.h REQUIRED)

# Files are read and written alike by the generator and by what it emits.
add_library(ck_io STATIC codegen/runtime/io.c)
target_compile_definitions(ck_io PRIVATE _GNU_SOURCE)
target_include_directories(ck_io PUBLIC codegen/runtime)
target_link_libraries(ck_io PRIVATE ck_flags)

# What emitted programs are linked with.
file(GLOB runtime CONFIGURE_DEPENDS codegen/runtime/*.c)
add_library(ck_model SHARED ${runtime})
target_compile_definitions(ck_model PRIVATE _GNU_SOURCE)
target_compile_options(ck_model PRIVATE -O2)
target_include_directories(ck_model PUBLIC codegen/runtime kernels/include/ck)
target_link_libraries(ck_model PRIVATE ck_flags PUBLIC ck m)

# The same for programs that have the kernels themselves.
list(FILTER runtime EXCLUDE REGEX "/io\\.c$")
add_library(ck_model_objects OBJECT ${runtime})
target_compile_definitions(ck_model_objects PRIVATE _GNU_SOURCE)
target_compile_options(ck_model_objects PRIVATE -O2)
target_include_directories(ck_model_objects PUBLIC codegen/runtime PRIVATE kernels/include/ck)
target_link_libraries(ck_model_objects PRIVATE ck_flags PUBLIC ck_io m)

file(GLOB generator CONFIGURE_DEPENDS codegen/*.c)
list(REMOVE_ITEM generator ${CMAKE_SOURCE_DIR}/codegen/main.c)
add_library(ck_codegen STATIC ${generator})
target_compile_definitions(ck_codegen PRIVATE _GNU_SOURCE)
target_compile_options(ck_codegen PRIVATE -O2)
target_include_directories(ck_codegen PUBLIC codegen kernels kernels/include/ck ${CG_JANSSON_INCLUDE})
target_link_libraries(ck_codegen PRIVATE ck_flags PUBLIC ck_io ${CG_JANSSON} m)

add_executable(ckgen codegen/main.c)
target_compile_definitions(ckgen PRIVATE _GNU_SOURCE)
target_link_libraries(ckgen PRIVATE ck_codegen ck_flags)

find_package(cmocka CONFIG REQUIRED)
foreach(test config graph layout plan)
  add_executable(test_cg_${test} codegen/tests/test_${test}.c codegen/tests/mutate.c)
  target_compile_definitions(test_cg_${test} PRIVATE _GNU_SOURCE)
  target_include_directories(test_cg_${test} PRIVATE ${CMOCKA_INCLUDE_DIR})
  target_link_libraries(test_cg_${test} PRIVATE ck_codegen ck_ref ck_flags ${CMOCKA_LIBRARIES})
  add_test(NAME codegen.${test} COMMAND test_cg_${test})
  set_tests_properties(codegen.${test} PROPERTIES LABELS "unit;codegen")
endforeach()
add_test(NAME codegen.cli COMMAND ${CMAKE_SOURCE_DIR}/codegen/tests/cli.sh $<TARGET_FILE:ckgen>)
set_tests_properties(codegen.cli PROPERTIES LABELS "unit;codegen")

add_test(NAME codegen.models COMMAND ${CMAKE_SOURCE_DIR}/codegen/tests/models.sh
  $<TARGET_FILE:ckgen> ${CMAKE_SOURCE_DIR})
set_tests_properties(codegen.models PROPERTIES LABELS "unit;codegen")

# The command in the test's own process.
add_library(cg_command OBJECT codegen/main.c)
target_compile_definitions(cg_command PRIVATE _GNU_SOURCE main=cg_command)
target_link_libraries(cg_command PRIVATE ck_codegen ck_flags)
add_executable(test_cg_command codegen/tests/test_command.c codegen/tests/mutate.c)
target_compile_definitions(test_cg_command PRIVATE _GNU_SOURCE)
target_include_directories(test_cg_command PRIVATE ${CMOCKA_INCLUDE_DIR})
target_link_libraries(test_cg_command PRIVATE cg_command ck_codegen ck_flags ${CMOCKA_LIBRARIES})
add_test(NAME codegen.command COMMAND test_cg_command)
set_tests_properties(codegen.command PROPERTIES LABELS "unit;codegen")

# Programs that are emitted, compiled and run.
foreach(test formats block_files runtime weights)
  add_executable(test_cg_${test} codegen/tests/test_${test}.c codegen/tests/program.c
    codegen/tests/run.c codegen/tests/files.c codegen/tests/mutate.c codegen/runtime/sha256.c)
  target_compile_definitions(test_cg_${test} PRIVATE _GNU_SOURCE
    CG_RUNTIME_INCLUDE="${CMAKE_SOURCE_DIR}/codegen/runtime"
    CG_KERNEL_INCLUDE="${CMAKE_SOURCE_DIR}/kernels/include/ck")
  target_include_directories(test_cg_${test} PRIVATE ${CMOCKA_INCLUDE_DIR})
  target_link_libraries(test_cg_${test} PRIVATE ck_codegen ck_model ck_ref ck_flags dl
    ${CMOCKA_LIBRARIES})
  add_test(NAME codegen.${test} COMMAND test_cg_${test})
  set_tests_properties(codegen.${test} PROPERTIES LABELS "unit;codegen")
endforeach()
# A model beyond all memory is an error that is tested, not one of the sanitizer's.
set_tests_properties(codegen.runtime PROPERTIES ENVIRONMENT ASAN_OPTIONS=allocator_may_return_null=1)
add_test(NAME codegen.emitted COMMAND ${CMAKE_SOURCE_DIR}/codegen/tests/emitted.sh
  $<TARGET_FILE:ckgen> ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set(link "${CMAKE_C_COMPILER} ${CMAKE_C_FLAGS}")
if(CK_SANITIZE)
  string(APPEND link " -fsanitize=${CK_SANITIZE}")
endif()
set_tests_properties(codegen.emitted PROPERTIES LABELS "unit;codegen" ENVIRONMENT "CG_LINK=${link}")
