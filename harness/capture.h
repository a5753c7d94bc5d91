/* SPDX-License-Identifier: MIT */
/* Captured operands: what --dump-operands writes and fill=file: replays. Operand NAME is the file
 * DIR/NAME.DTYPE.bin, the live units of its rows one after the other; one without any has no file. */
#ifndef HN_CAPTURE_H
#define HN_CAPTURE_H

#include "hash.h"
#include "place.h"

/* Reads operand `index` from c->file. Returns 0, or -1 with one line in `error` if there is no such
 * file or it has not the size that the case wants. */
int hn_capture_read(const hn_case *c, size_t index, const hn_placed *p, const size_t *live,
                    char *error, size_t size);
/* Writes it to the folder `dir`, which is made if it is not there. Returns 0, or -1 likewise. */
int hn_capture_write(const char *dir, const hn_case *c, size_t index, const hn_placed *p,
                     const size_t *live, char *error, size_t size);

/* The hash of the live bytes of one operand after the other: starts at HN_HASH_START. */
uint64_t hn_capture_hash(uint64_t hash, const hn_placed *p, const size_t *live);
/* Live bytes of an operand. */
size_t hn_capture_bytes(const hn_placed *p, const size_t *live);

#endif
