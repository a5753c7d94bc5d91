/* SPDX-License-Identifier: MIT */
/* A harness that runs every case in one convenient shape: 8, or a block. */
#include <string.h>

#include "family.h"
#include "suite.h"

int __real_hn_suite_case(const hn_suite *suite, size_t index, uint64_t seed, hn_case *c,
                         char *error, size_t size);
int __wrap_hn_suite_case(const hn_suite *suite, size_t index, uint64_t seed, hn_case *c,
                         char *error, size_t size);

int __wrap_hn_suite_case(const hn_suite *suite, size_t index, uint64_t seed, hn_case *c,
                         char *error, size_t size)
{
    const int given = __real_hn_suite_case(suite, index, seed, c, error, size);
    for (size_t i = 0; given >= 0 && i < c->op->family->nkeys; i++) {
        const hn_key *k = &c->op->family->keys[i];
        if (k->kind == HN_DIM) c->num[i] = hn_key_unit(c->op, i) > 1 ? hn_key_unit(c->op, i) : 8;
    }
    if (given >= 0) memset(c->ld, 0, sizeof c->ld);
    return given;
}
