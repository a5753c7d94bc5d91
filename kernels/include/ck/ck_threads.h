/* SPDX-License-Identifier: MIT */
/* How many threads the public entries of products and of attention may use. */
#ifndef CK_THREADS_H
#define CK_THREADS_H

#include <stddef.h>

#include "ck.h"

enum { CK_THREADS_MOST = 256 };

/* An entry computes its outputs in parts, each by one thread in the order in which a single thread
 * would, so that bits depend neither on the count nor on who computes what; in strict-parity mode, too,
 * which does not change the count. What is small is not divided. Threads are started when first needed,
 * in a process after fork() anew, wait for more between calls, and compute under the MXCSR of their
 * caller, whose exception flags they do not raise. Entries may be called from any number of threads: one
 * call at a time has the helpers, others run by themselves. They do not call pthread_exit, nor may a
 * caller leave an entry by longjmp. */

/* 1 at start. n: 1 to CK_THREADS_MOST, or 0: as many as CK_NUM_THREADS of the environment says, a
 * decimal number in the same range, or, where it is unset or empty, as there are physical cores.
 * CK_ERR_VALUE for any other n or CK_NUM_THREADS: the count stays as it was. */
CK_API ck_status ck_set_num_threads(int n);
CK_API int ck_get_num_threads(void);

/* Cores of the CPUs that this process may run on, hyperthreads of one core counted once; at least 1. */
CK_API int ck_get_physical_cores(void);

/* A call has no more threads than there are `terms` products of two elements for each; 0: the default,
 * 2^18, which take longer than waking a thread; 1: everything is divided, for tests. */
CK_API void ck_set_thread_terms(size_t terms);

#endif
