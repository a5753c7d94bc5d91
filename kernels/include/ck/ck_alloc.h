/* SPDX-License-Identifier: MIT */
/* Large memory in large pages. */
#ifndef CK_ALLOC_H
#define CK_ALLOC_H

#include <stddef.h>

#include "ck.h"

enum { CK_HUGE_PAGE = 2 << 20 };

/* At least `bytes` of zeros from a multiple of 2 MiB on, in pages of 2 MiB as far as the system has them:
 * reserved ones, or those that it makes of small ones. The bytes are rounded up to whole such pages; the
 * small page before and the one behind are not mapped. NULL: no bytes are asked for, or more than there
 * are. Of reserved pages a child of fork() should not write the parent's: it needs others, and where
 * there are none it dies of SIGBUS. */
CK_API void *ck_huge_alloc(size_t bytes);

/* Gives back what ck_huge_alloc(bytes) gave. p may be NULL. CK_ERR_VALUE: it gave no such thing, as far as
 * that shows by the numbers. */
CK_API ck_status ck_huge_free(void *p, size_t bytes);

#endif
