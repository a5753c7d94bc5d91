# The rows of kernels.def are the file list; each file gets the flags of its ISA and nobody else's.
# SLP as well: clang vectorises straight-line code apart from loops.
set(CK_OPTIONS_scalar -O2 -fno-tree-vectorize -fno-tree-slp-vectorize)
# Sanitizers see as much at -O0, which compiles in two fifths of the time of -O1.
set(CK_LEVEL -O3)
if(CK_SANITIZE)
  set(CK_LEVEL -O0)
endif()
set(CK_OPTIONS_sse41 ${CK_LEVEL} -msse4.1)
set(CK_OPTIONS_avx2 ${CK_LEVEL} -mavx2 -mfma -mf16c)
set(CK_OPTIONS_avxvnni ${CK_OPTIONS_avx2} -mavxvnni)
set(CK_OPTIONS_avx512 ${CK_OPTIONS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl)
set(CK_OPTIONS_avx512vnni ${CK_OPTIONS_avx512} -mavx512vnni)
set(CK_OPTIONS_avx512bf16 ${CK_OPTIONS_avx512} -mavx512bf16)

# ci/simde.sh: the intrinsics above AVX2 made of AVX2's, to run on a CPU that lacks them.
option(CK_SIMDE "Emulate AVX-512 and VNNI by SIMDe" OFF)
if(CK_SIMDE)
  foreach(isa avxvnni avx512 avx512vnni avx512bf16)
    set(CK_OPTIONS_${isa} ${CK_OPTIONS_avx2} -include ${CMAKE_SOURCE_DIR}/ci/simde.h -Wno-psabi)
  endforeach()
  set_source_files_properties(kernels/cpu.c PROPERTIES COMPILE_DEFINITIONS CK_SIMDE)
endif()

# After those of every kernel's row: what ci/strict.sh and `ckparity bisect --compilers` vary.
set(CK_OPTIONS_LAST "" CACHE STRING "Compiler options after all others of a kernel, separated by ;")

set(CK_DEF ${CMAKE_SOURCE_DIR}/kernels/kernels.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CK_DEF})
file(STRINGS ${CK_DEF} rows REGEX "^CK_KERNEL\\(")
set(CK_KERNEL_SOURCES)
foreach(row IN LISTS rows)
  string(REGEX MATCH "^CK_KERNEL\\([a-z0-9_]+, ([a-z0-9_]+), ([a-z0-9_]+), ([a-z0-9]+)\\)" _ "${row}")
  set(name ${CMAKE_MATCH_1}_${CMAKE_MATCH_2}_${CMAKE_MATCH_3})
  set(source kernels/${CMAKE_MATCH_1}/${name}.c)
  if(NOT DEFINED CK_OPTIONS_${CMAKE_MATCH_3})
    message(FATAL_ERROR "kernels/kernels.def: no flags for isa \"${CMAKE_MATCH_3}\" in: ${row}")
  endif()
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
    "${CK_OPTIONS_${CMAKE_MATCH_3}};${CK_OPTIONS_LAST}")
  set_property(SOURCE ${source} PROPERTY COMPILE_DEFINITIONS CK_THIS=${name})
  list(APPEND CK_KERNEL_SOURCES ${source})
endforeach()

add_library(ck_objects OBJECT ${CK_KERNEL_SOURCES}
  kernels/table.c kernels/dispatch.c kernels/split.c kernels/threads.c kernels/alloc.c kernels/dtype.c
  kernels/cpu.c kernels/strict.c)
target_include_directories(ck_objects PRIVATE kernels PUBLIC kernels/include/ck)
target_link_libraries(ck_objects PRIVATE ck_flags)
set_source_files_properties(kernels/table.c PROPERTIES
  COMPILE_DEFINITIONS "CK_VERSION=\"${PROJECT_VERSION}$<$<BOOL:${CK_SIMDE}>: emulated>\"")

add_library(ck SHARED)
target_link_libraries(ck PRIVATE ck_objects m ck_flags)

find_package(cmocka CONFIG REQUIRED)
foreach(test kernels formats quant_k dots embedding gemm_i gemm_wn kv loss packed products rope rows threads alloc)
  add_executable(test_${test} kernels/tests/test_${test}.c)
  target_include_directories(test_${test} PRIVATE kernels ${CMOCKA_INCLUDE_DIR})
  target_link_libraries(test_${test} PRIVATE ck_objects m ck_flags ${CMOCKA_LIBRARIES})
  if(test STREQUAL kernels)
    set(name kernels)
  else()
    set(name kernels.${test})
  endif()
  add_test(NAME ${name} COMMAND test_${test})
  set_tests_properties(${name} PROPERTIES LABELS "unit;kernels")
endforeach()
# Closes the library while its threads wait.
target_compile_definitions(test_threads PRIVATE CK_LIBRARY="$<TARGET_FILE:ck>")
target_link_libraries(test_threads PRIVATE dl)
add_dependencies(test_threads ck)
# ThreadSanitizer asks for that where a child starts threads.
set_tests_properties(kernels.threads PROPERTIES ENVIRONMENT TSAN_OPTIONS=die_after_fork=0)
if(CK_SANITIZE)
  target_compile_definitions(test_alloc PRIVATE CK_SANITIZED)
endif()
