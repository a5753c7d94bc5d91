/* SPDX-License-Identifier: MIT */
/* Which commit, library, compiler or instruction set a failure came with (docs/bisect.md). */
#ifndef HN_BISECT_H
#define HN_BISECT_H

/* `ckparity bisect` with its arguments. Returns an exit code: 0 found, 1 not reproducible, 2 bad
 * input. */
int hn_bisect(int argc, char **argv);

#endif
