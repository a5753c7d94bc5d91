/* SPDX-License-Identifier: MIT */
/* The bytes that fuzzers see: a batch of records, each of which decodes to a valid case. A batch that
 * is cut short is filled up with zeros, and whatever follows the last record is ignored. */
#ifndef FZ_BATCH_H
#define FZ_BATCH_H

#include <stddef.h>
#include <stdint.h>

/* Where a record has what. Numbers are little-endian; a zero is always the default. */
enum {
    FZ_OP = 0,
    FZ_MODE = 1,
    FZ_FP = 2,
    FZ_FILL = 3,
    FZ_SEED = 4, /* 4 bytes */
    FZ_KEYS = 8, /* 8 keys of the family, 2 bytes each */
    FZ_LD = 24,  /* 6 operands */
    FZ_AT = 30,  /* 6 operands */
    FZ_RECORD = 36,
    FZ_CASES_MAX = 32
};

/* Changes one to four things: a field of a record, or the records there are. Depends on nothing but
 * its arguments. Returns the new size, a multiple of FZ_RECORD, at most `max`. */
size_t fz_mutate(uint8_t *data, size_t size, size_t max, uint64_t seed);

struct hn_case;
struct hn_op;
/* Decodes record `index` of a batch to a case of one of `count` ops. Returns 0, or -1 if the batch has
 * no such record. */
int fz_decode(struct hn_case *c, const uint8_t *data, size_t size, size_t index,
              const struct hn_op *const *ops, size_t count);

#endif
