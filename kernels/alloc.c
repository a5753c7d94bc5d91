/* SPDX-License-Identifier: MIT */
/* Large memory in large pages, between two pages that are not mapped. */
#define _GNU_SOURCE
#include "ck_alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MAP_HUGE_2MB
#define MAP_HUGE_2MB (21 << 26) /* linux/mman.h */
#endif

enum { GUARD = 4096 };

/* Whole pages; 0: none, or too many to be rounded and guarded. */
static size_t round_up(size_t bytes)
{
    const size_t page = CK_HUGE_PAGE;
    return bytes > (size_t)PTRDIFF_MAX - 4 * page ? 0 : (bytes + page - 1) / page * page;
}

/* Addresses for `size` bytes and a guard on both sides, which nobody can touch yet. */
static unsigned char *reserve(size_t size)
{
    const size_t page = CK_HUGE_PAGE, all = size + 2 * page;
    void *const mapped =
        mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return NULL;
    unsigned char *const from = mapped;
    const size_t lead = page - ((uintptr_t)from + GUARD) % page;
    unsigned char *const p = from + GUARD + lead % page;
    const size_t before = (size_t)(p - GUARD - from), kept = size + 2 * GUARD;
    if (before > 0) munmap(from, before);
    munmap(from + before + kept, all - before - kept);
    return p;
}

static void release(unsigned char *p, size_t size) { munmap(p - GUARD, size + 2 * GUARD); }

/* Reserved pages in the place of [p, p + size); false: there are not enough, and nothing is there. */
static bool map_reserved(unsigned char *p, size_t size)
{
    const int flags =
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB | MAP_FIXED_NOREPLACE;
    munmap(p, size);
    void *const mapped = mmap(p, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (mapped == p) return true;
    if (mapped != MAP_FAILED) munmap(mapped, size); /* a kernel before 4.17 takes p for a wish */
    munmap(p - GUARD, GUARD);
    munmap(p + size, GUARD);
    return false;
}

void *ck_huge_alloc(size_t bytes)
{
    const size_t size = round_up(bytes);
    unsigned char *p = size ? reserve(size) : NULL;
    if (!p || map_reserved(p, size)) return p;
    p = reserve(size);
    if (!p) return NULL;
    if (mprotect(p, size, PROT_READ | PROT_WRITE) != 0) {
        release(p, size);
        return NULL;
    }
    madvise(p, size, MADV_HUGEPAGE); /* small pages will do, too */
    return p;
}

ck_status ck_huge_free(void *p, size_t bytes)
{
    const size_t size = round_up(bytes);
    if (!p) return CK_OK;
    if (size == 0 || (uintptr_t)p % CK_HUGE_PAGE != 0) return CK_ERR_VALUE;
    release(p, size);
    return CK_OK;
}
