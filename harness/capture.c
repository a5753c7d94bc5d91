/* SPDX-License-Identifier: MIT */
/* Captured operands. */
#include "capture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static size_t row_bytes(const hn_placed *p, const size_t *live, size_t row)
{
    return (live ? live[row] : p->cols) * p->unit;
}

size_t hn_capture_bytes(const hn_placed *p, const size_t *live)
{
    size_t bytes = 0;
    for (size_t row = 0; p->at && row < p->rows; row++) bytes += row_bytes(p, live, row);
    return bytes;
}

uint64_t hn_capture_hash(uint64_t hash, const hn_placed *p, const size_t *live)
{
    for (size_t row = 0; p->at && row < p->rows; row++) {
        const unsigned char *at = p->at + row * p->ld * p->unit;
        hash = hn_hash(hash, at, row_bytes(p, live, row));
    }
    return hash;
}

static int name_file(const char *dir, const hn_case *c, size_t index, char *path, size_t size)
{
    const hn_operand *o = &c->op->family->operands[index];
    const int length = snprintf(path, size, "%s/%s.%s.bin", dir, o->name,
                                hn_dtypes[hn_operand_dtype(c->op, index)].name);
    return length < (int)size ? 0 : -1;
}

int hn_capture_read(const hn_case *c, size_t index, const hn_placed *p, const size_t *live,
                    char *error, size_t size)
{
    char path[HN_FILE_MAX + 64];
    size_t got = 0, want = hn_capture_bytes(p, live);
    if (want == 0) return 0;
    if (name_file(c->file, c, index, path, sizeof path) != 0)
        return snprintf(error, size, "%s: path too long", c->file), -1;
    FILE *file = fopen(path, "rb");
    if (!file) return snprintf(error, size, "%s: %s", path, strerror(errno)), -1;
    for (size_t row = 0; row < p->rows; row++)
        got += fread(p->at + row * p->ld * p->unit, 1, row_bytes(p, live, row), file);
    const bool whole = got == want && fgetc(file) == EOF && !ferror(file);
    fclose(file);
    if (whole) return 0;
    return snprintf(error, size, "%s: the case wants %zu bytes of it, no more and no less", path,
                    want),
           -1;
}

int hn_capture_write(const char *dir, const hn_case *c, size_t index, const hn_placed *p,
                     const size_t *live, char *error, size_t size)
{
    char path[4096];
    size_t put = 0, want = hn_capture_bytes(p, live);
    if (want == 0) return 0;
    if (name_file(dir, c, index, path, sizeof path) != 0)
        return snprintf(error, size, "%.60s...: path too long", dir), -1;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return snprintf(error, size, "%s: %s", dir, strerror(errno)), -1;
    FILE *file = fopen(path, "wb");
    if (!file) return snprintf(error, size, "%s: %s", path, strerror(errno)), -1;
    for (size_t row = 0; row < p->rows; row++)
        put += fwrite(p->at + row * p->ld * p->unit, 1, row_bytes(p, live, row), file);
    if (fclose(file) == 0 && put == want) return 0;
    return snprintf(error, size, "%s: %s", path, strerror(errno)), -1;
}
