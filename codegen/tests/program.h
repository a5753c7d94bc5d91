/* SPDX-License-Identifier: MIT */
/* Emitted programs for tests: compiled by tcc, loaded, opened. */
#ifndef CG_TESTS_PROGRAM_H
#define CG_TESTS_PROGRAM_H

#include "ck_model.h"
#include "config.h"
#include "formats.h"
#include "ref_model.h"

typedef struct cg_loaded {
    void *library;
    const ck_program *program;
} cg_loaded;

/* Emits, compiles and loads, with weights in f32; fails the test if anything goes wrong. */
cg_loaded cg_load(const cg_config *config, size_t guard);
/* The same with weights in other formats. */
cg_loaded cg_load_formats(const cg_config *config, size_t guard, const cg_formats *formats);
/* The same in f32, with steps fused as by CG_FUSE_...; an edit as below, or NULLs. */
cg_loaded cg_load_fused(const cg_config *config, size_t guard, unsigned fuse, const char *step,
                        const char *from, const char *to);
/* The same with weights in other formats. */
cg_loaded cg_load_fused_formats(const cg_config *config, size_t guard, unsigned fuse,
                                const cg_formats *formats);
/* The same with a cache in that format. */
cg_loaded cg_load_cached(const cg_config *config, size_t guard, ck_dtype cache, const char *step,
                         const char *from, const char *to);
/* The same with the first `from` in the function of a step put as `to`: a wrong generator. */
cg_loaded cg_load_wrong(const cg_config *config, const cg_formats *formats, const char *step,
                        const char *from, const char *to);
void cg_unload(cg_loaded *l);

/* The weights of a model as the reference wants them, and a cache of 16 bits, decoded by the reference's own
 * text where they are not in f32; to be freed by cg_reference_free. */
ref_model cg_reference(const ck_model *m);
/* n elements of another format than f32, by the reference's text. */
void cg_decode(ck_dtype format, const unsigned char *blocks, size_t n, float *x);
void cg_reference_free(ref_model *r);

#endif
