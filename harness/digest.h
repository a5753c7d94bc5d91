/* SPDX-License-Identifier: MIT */
/* Digests of outputs: what the golden files hold (docs/golden.md). A line is
 *     OUT DATA CASE
 * two FNV-1a hashes of 16 hexadecimal digits, of the packed output and of the inputs' live units (of a
 * runtime: of what all steps write, and of weights and tokens), then
 * the canonical case with its mode; a fast one has its isa, a strict one belongs to every variant. */
#ifndef HN_DIGEST_H
#define HN_DIGEST_H

#include "run.h"

/* Prints the digests of the run's suite. Fast kernels are run under round to nearest only. A failing
 * kernel, and strict bits that differ, go to stderr. Returns an exit code. */
int hn_digest_print(const hn_run *run);

/* Computes the lines of the file anew and reports those that differ; where only the data does, as
 * STALE. What the kernels do wrong apart from it is not looked at. `old`: another subject, whose outputs say by how much; NULL: none.
 * `unguarded`: all operands lie away from unmapped pages, for emulators that touch what a masked load
 * must not; digests do not depend on it. Returns an exit code. */
int hn_digest_check(const hn_run *run, const hn_run *old, bool unguarded, const char *path);

#endif
