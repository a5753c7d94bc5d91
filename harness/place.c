/* SPDX-License-Identifier: MIT */
/* Placement of operands, junk, prefill and canaries. */
#include "place.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Unmapped on each side of a slot: wide enough that a stride gone wrong by a row still faults here. */
enum { GUARD = 1 << 16 };
enum { PATTERN_BYTES = 4096 };

static const uint32_t words[] = {
    [HN_JUNK_A] = 0xffa5a6a7u,    [HN_JUNK_B] = 0x7f5b5a59u, [HN_PREFILL_A] = 0x7fe1e2e3u,
    [HN_PREFILL_B] = 0x4b2c2d2eu, [HN_CANARY] = 0xffc3c4c9u,
};

/* Each pattern once, long enough that painting is a memcpy. Filled before main. */
static unsigned char sheets[sizeof words / sizeof words[0]][PATTERN_BYTES + 4];
static size_t page;

__attribute__((constructor)) static void fill_sheets(void)
{
    for (size_t p = 0; p < sizeof words / sizeof words[0]; p++)
        for (size_t i = 0; i < sizeof sheets[p]; i++)
            sheets[p][i] = (unsigned char)(words[p] >> 8 * (i % 4));
    page = (size_t)sysconf(_SC_PAGESIZE);
}

uint32_t hn_pattern_word(hn_pattern pattern) { return words[pattern]; }

static size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

void hn_slot_free(hn_slot *slot)
{
    if (slot->map) munmap(slot->map, slot->data_bytes + 2 * (size_t)GUARD);
    *slot = (hn_slot){ 0 };
}

static int reserve(hn_slot *slot, size_t bytes)
{
    const size_t data_bytes = round_up(bytes, page);
    if (slot->map && slot->data_bytes >= data_bytes) return 0;
    hn_slot_free(slot);
    unsigned char *map =
        mmap(NULL, data_bytes + 2 * (size_t)GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return -1;
    if (mprotect(map + GUARD, data_bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(map, data_bytes + 2 * (size_t)GUARD);
        return -1;
    }
    *slot = (hn_slot){ map, data_bytes };
    return 0;
}

int hn_place_operand(hn_slot *slot, const hn_extent *extent, size_t ld, const hn_dtype_info *info,
                     hn_place place, hn_placed *placed)
{
    *placed =
        (hn_placed){ .rows = extent->rows, .cols = extent->cols, .ld = ld, .unit = info->bytes };
    if (extent->rows == 0) return 0;
    const size_t span = ((extent->rows - 1) * ld + extent->cols) * info->bytes;
    const size_t shift = HN_MARGIN + place.offset * info->align;
    if (reserve(slot, span + shift + HN_MARGIN) != 0) return -1;
    unsigned char *data = slot->map + GUARD, *end = data + slot->data_bytes;
    placed->at = place.edge == HN_END ? end - span : place.edge == HN_START ? data : data + shift;
    placed->lo = (size_t)(placed->at - data) < HN_MARGIN ? data : placed->at - HN_MARGIN;
    placed->hi =
        (size_t)(end - placed->at) - span < HN_MARGIN ? end : placed->at + span + HN_MARGIN;
    return 0;
}

void hn_paint(unsigned char *from, size_t bytes, hn_pattern pattern)
{
    const unsigned char *sheet = sheets[pattern] + (uintptr_t)from % 4;
    for (; bytes > PATTERN_BYTES; bytes -= PATTERN_BYTES, from += PATTERN_BYTES)
        memcpy(from, sheet, PATTERN_BYTES);
    memcpy(from, sheet, bytes);
}

bool hn_painted(const unsigned char *from, size_t bytes, hn_pattern pattern)
{
    const unsigned char *sheet = sheets[pattern] + (uintptr_t)from % 4;
    for (; bytes > PATTERN_BYTES; bytes -= PATTERN_BYTES, from += PATTERN_BYTES)
        if (memcmp(from, sheet, PATTERN_BYTES) != 0) return false;
    return memcmp(from, sheet, bytes) == 0;
}

void hn_paint_slack(const hn_placed *p, const size_t *live, hn_pattern pattern)
{
    unsigned char *from = p->lo, *row = p->at;
    for (size_t r = 0; r < p->rows; r++, row += p->ld * p->unit) {
        if (row > from) hn_paint(from, (size_t)(row - from), pattern);
        from = row + (live ? live[r] : p->cols) * p->unit;
    }
    hn_paint(from, (size_t)(p->hi - from), pattern);
}

static const unsigned char *first_change(const unsigned char *from, size_t bytes)
{
    if (hn_painted(from, bytes, HN_CANARY)) return NULL;
    while (hn_painted(from, 1, HN_CANARY)) from++;
    return from;
}

const unsigned char *hn_find_overwrite(const hn_placed *p, const size_t *live)
{
    const unsigned char *from = p->lo, *row = p->at;
    for (size_t r = 0; r < p->rows; r++, row += p->ld * p->unit) {
        const unsigned char *changed = first_change(from, (size_t)(row - from));
        if (changed) return changed;
        from = row + (live ? live[r] : p->cols) * p->unit;
    }
    return first_change(from, (size_t)(p->hi - from));
}

int hn_guard_side(const hn_slot *slot, const void *address)
{
    const uintptr_t at = (uintptr_t)address, map = (uintptr_t)slot->map;
    if (!slot->map) return 0;
    if (at >= map && at < map + GUARD) return -1;
    return at >= map + GUARD + slot->data_bytes && at < map + 2 * GUARD + slot->data_bytes ? 1 : 0;
}
