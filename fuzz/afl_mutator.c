/* SPDX-License-Identifier: MIT */
/* The mutator as a library for AFL_CUSTOM_MUTATOR_LIBRARY. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

#define API __attribute__((visibility("default")))

typedef struct state {
    uint64_t seed;
    uint8_t data[FZ_CASES_MAX * FZ_RECORD];
} state;

API void *afl_custom_init(void *afl, unsigned seed);
API size_t afl_custom_fuzz(state *s, uint8_t *data, size_t size, uint8_t **out, uint8_t *other,
                           size_t other_size, size_t max);
API void afl_custom_deinit(state *s);

void *afl_custom_init(void *afl, unsigned seed)
{
    (void)afl;
    state *s = calloc(1, sizeof *s);
    if (s) s->seed = (uint64_t)seed << 32;
    return s;
}

size_t afl_custom_fuzz(state *s, uint8_t *data, size_t size, uint8_t **out, uint8_t *other,
                       size_t other_size, size_t max)
{
    (void)other;
    (void)other_size;
    if (size > sizeof s->data) size = sizeof s->data;
    memcpy(s->data, data, size);
    *out = s->data;
    return fz_mutate(s->data, size, max < sizeof s->data ? max : sizeof s->data, s->seed++);
}

void afl_custom_deinit(state *s) { free(s); }
