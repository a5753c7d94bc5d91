/* SPDX-License-Identifier: MIT */
/* A harness that does not look at the canaries. */
#include "place.h"

const unsigned char *__wrap_hn_find_overwrite(const hn_placed *p, const size_t *live);

const unsigned char *__wrap_hn_find_overwrite(const hn_placed *p, const size_t *live)
{
    (void)p;
    (void)live;
    return NULL;
}
