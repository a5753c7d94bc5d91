/* SPDX-License-Identifier: MIT */
/* The machine's ceilings, measured in the run that uses them. */
#ifndef HN_LIMITS_H
#define HN_LIMITS_H

#include <stdint.h>

#include "ck.h"
#include "statistics.h"

typedef enum hn_level { HN_L1, HN_L2, HN_L3, HN_DRAM, HN_LEVELS } hn_level;
extern const char *const hn_level_names[HN_LEVELS];

/* Of one instruction set: operations and bytes a second; n = 0: not there. */
typedef struct hn_limit {
    bool present;
    hn_summary fma, dot8, read[HN_LEVELS];
} hn_limit;

typedef struct hn_machine {
    char cpu[64];
    size_t cache[HN_DRAM]; /* bytes of L1d, L2, L3; 0: none */
    bool assumed;          /* the system does not tell their sizes */
    hn_limit limit[CK_ISA_COUNT];
    ck_isa fastest_fma, fastest_dot8, fastest_read; /* of those that the CPU runs */
} hn_machine;

/* Bytes of which no cache holds a useful part. */
size_t hn_cold_bytes(const hn_machine *m);
/* The smallest level that holds so many bytes. */
hn_level hn_level_of(const hn_machine *m, size_t bytes);

/* Measures all instruction sets that the CPU runs. Returns 0, or -1 if out of memory. */
int hn_machine_measure(hn_machine *m);

/* Zeroed memory in huge pages where the system has them, 64-byte aligned; NULL: none left. */
void *hn_map(size_t bytes);
void hn_unmap(void *memory, size_t bytes);

#endif
