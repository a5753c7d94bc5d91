/* SPDX-License-Identifier: MIT */
/* Deliberately wrong runtimes: emitted programs, kernels below them and calls above them. */
#ifndef HN_RUNTIME_WRONG_H
#define HN_RUNTIME_WRONG_H

#include <stdbool.h>
#include <stddef.h>

/* How many there are whose name, runtime.X, the filter matches (NULL: all). */
size_t hn_rt_wrong_count(bool (*wanted)(const char *filter, const char *name), const char *filter);

/* Presents each whose name the filter matches (NULL: all), and prints a line each; those that are
 * reported otherwise than they should be, at the wrong step above all, have failed. */
void hn_rt_selftest(bool (*wanted)(const char *filter, const char *name), const char *filter,
                    size_t *passed, size_t *failed, size_t *skipped);

#endif
