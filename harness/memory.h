/* SPDX-License-Identifier: MIT */
/* Memory or the end. */
#ifndef HN_MEMORY_H
#define HN_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

static inline void *hn_checked(void *memory)
{
    if (memory) return memory;
    fprintf(stderr, "ckparity: out of memory\n");
    exit(1);
}

#endif
