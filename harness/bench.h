/* SPDX-License-Identifier: MIT */
/* How fast the harness itself is. */
#ifndef HN_BENCH_H
#define HN_BENCH_H

/* Cases a second of one core, all checks on, for a 256-element dot, and how often each check was
 * made. Returns an exit code. */
int hn_bench_harness(void);

#endif
