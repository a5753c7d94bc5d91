/* SPDX-License-Identifier: MIT */
/* The logits of a runtime against the whole decoder in double. */
#ifndef HN_RUNTIME_WHOLE_H
#define HN_RUNTIME_WHOLE_H

#include "../compare.h"
#include "decoder.h"

/* logits [n][vocab] of n tokens from position 0 on; kept: the arena in whose cache their keys and values are,
 * wanted if that has 16 bits. */
typedef struct hn_rt_text {
    const int32_t *tokens;
    size_t n;
    const float *logits;
    bool strict;
    const unsigned char *kept;
} hn_rt_text;

/* Its logits, with the weights of an arena: within the stochastic radius of ref_model_radius, an estimate
 * and no proof; and each key and value in a cache of 16 bits is what a number within such a radius is
 * rounded to. */
void hn_rt_whole_check(const hn_rt_decoder *d, const unsigned char *arena, const hn_rt_text *text,
                       hn_result *result);

#endif
