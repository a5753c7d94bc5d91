/* SPDX-License-Identifier: MIT */
/* Errors of one line, and files that are read and written as a whole. */
#ifndef CG_IO_H
#define CG_IO_H

#include <stddef.h>
#include <stdio.h>

/* One line without control characters: where, which field, which value, what is permitted. */
typedef struct cg_error {
    char text[512];
} cg_error;

/* Fills `error`, which may be NULL, and returns -1. What does not fit is cut. */
__attribute__((format(printf, 2, 3))) int cg_fail(cg_error *error, const char *format, ...);

/* A whole regular file of at most `most` bytes, with a 0 behind it; to be freed. NULL: error. */
char *cg_read(const char *path, size_t most, size_t *size, cg_error *error);

/* A file in the making: it gets its name when it is complete, or never. */
typedef struct cg_file {
    FILE *file;
    char path[4096], temporary[4112];
} cg_file;

/* Begins it beside `path`, which must not be there or be a regular file. 0 or -1. */
int cg_open(cg_file *f, const char *path, cg_error *error);
/* Checks that all was written, and makes it durable under the temporary name. 0 or -1. */
int cg_finish(cg_file *f, cg_error *error);
/* Gives the finished file its name. 0 or -1. */
int cg_publish(cg_file *f, cg_error *error);
/* Forgets it unless it was published; does nothing with one that was never opened. */
void cg_abandon(cg_file *f);

#endif
