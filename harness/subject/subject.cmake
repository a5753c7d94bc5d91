# Adapters that bring other libraries' kernels under the suites: `ckparity run --subject NAME` opens
# libckparity_NAME.so beside the executable. An adapter sees the contracts and nothing of the harness.
add_library(ckparity_ggml SHARED harness/subject/ggml.c)
target_include_directories(ckparity_ggml PRIVATE kernels/include/ck)
target_link_libraries(ckparity_ggml PRIVATE ck_flags ${CMAKE_DL_LIBS})
