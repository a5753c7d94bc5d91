/* SPDX-License-Identifier: MIT */
/* Other programs: git, cmake and ckparity itself. */
#ifndef HN_PROCESS_H
#define HN_PROCESS_H

#include <stddef.h>

enum { HN_PATH_MAX = 4096 };

/* Runs argv, found in PATH, without input. `out`, `err`: files of its output, made anew (the same
 * name: one file for both), NULL: our own. Returns its exit code, 128 + the signal that ended it, or
 * 127 if it could not be started. */
int hn_spawn(const char *const *argv, const char *out, const char *err);

/* The whole file as text; NULL: not readable. To be freed. */
char *hn_read_text(const char *path);

/* The first line of `text` in which `find` occurs (at its beginning, if `first`), cut to `size`; ""
 * if there is none. */
void hn_find_line(const char *text, const char *find, int first, char *line, size_t size);

#endif
