# Adapters that bring other libraries' kernels under the suites: `ckparity run --subject NAME` opens
# libckparity_NAME.so beside the executable. An adapter sees the contracts and nothing of the harness,
# and links nothing of the library that it adapts.
function(hn_adapter name)
  add_library(ckparity_${name} SHARED harness/subject/${name}.c ${ARGN})
  target_compile_definitions(ckparity_${name} PRIVATE _GNU_SOURCE)
  target_compile_options(ckparity_${name} PRIVATE -O2)
  target_include_directories(ckparity_${name} PRIVATE kernels/include/ck)
  target_link_libraries(ckparity_${name} PRIVATE ck_flags ${CMAKE_DL_LIBS})
endfunction()
hn_adapter(ggml)
hn_adapter(blis harness/subject/load.c)
hn_adapter(onednn harness/subject/load.c)
hn_adapter(openblas harness/subject/load.c)
hn_adapter(sleef harness/subject/load.c harness/subject/sleef_128.c harness/subject/sleef_256.c
  harness/subject/sleef_512.c)
set_source_files_properties(harness/subject/sleef_256.c PROPERTIES COMPILE_OPTIONS -mavx)
set_source_files_properties(harness/subject/sleef_512.c PROPERTIES COMPILE_OPTIONS -mavx512f)
