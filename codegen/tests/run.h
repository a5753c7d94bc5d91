/* SPDX-License-Identifier: MIT */
/* Runs of emitted programs for tests. */
#ifndef CG_TESTS_RUN_H
#define CG_TESTS_RUN_H

#include "program.h"

/* A model with random weights; fails the test if there is none. */
ck_model *cg_open_model(const cg_loaded *l, uint64_t seed);
void cg_draw_tokens(int32_t *tokens, size_t n, size_t vocab, uint64_t *seed);

/* From position 0 on, all in one pass; in passes of drawn lengths, those of 1 by decode. logits
 * [n][vocab]. The status of the first call that fails, or CK_MODEL_OK. */
int cg_run_whole(ck_model *m, const int32_t *tokens, size_t n, float *logits);
int cg_run_cut(ck_model *m, const int32_t *tokens, size_t n, float *logits, uint64_t *seed);

/* The worst error / radius of the reference's logits, INFINITY if one is beyond it or is no number, or if what
 * is in a cache of 16 bits is no rounding of the reference's. */
double cg_compare(const ck_model *m, const int32_t *tokens, size_t n, int strict,
                  const float *logits);

/* Makes what is between buffers something that is seen when it is overwritten. */
void cg_paint_guards(const ck_model *m);
/* NULL, or where the arena is not as it should be: what is no buffer is as it was painted; pad lanes are +0,
 * and the rows beside the used ones of a matrix in another format than f32 stand for 0. */
const char *cg_arena_fault(const ck_model *m);

/* Runs a decoder fast and strict, whole and cut, with drawn weights and tokens: rows of logits have the same
 * bits however the text is cut, those of strict runs without SIMD, too; they are what the reference says;
 * the arena is as it should be. worst: error / radius, fast and strict. Fails the test. */
void cg_check_config(const cg_config *c, const cg_formats *formats, uint64_t *seed,
                     double worst[2]);
/* The same of a program of that decoder, which it unloads. */
void cg_check_loaded(cg_loaded *l, const cg_config *c, uint64_t *seed, double worst[2]);

#endif
