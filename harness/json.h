/* SPDX-License-Identifier: MIT */
/* Files of results: they appear under their name only when they are whole. */
#ifndef HN_JSON_H
#define HN_JSON_H

#include <stdio.h>

typedef struct hn_file {
    FILE *file;
    char path[4096], temporary[4112];
} hn_file;

/* Return 0, or -1 with one line in `error` that names the path. */
int hn_file_open(hn_file *o, const char *path, char *error, size_t size);
int hn_file_close(hn_file *o, char *error, size_t size);

/* "text", whatever bytes below 128 it holds. */
void hn_json_string(FILE *out, const char *text);
/* "name": "text" */
void hn_json_field(FILE *out, const char *name, const char *text);
/* The commit and the compiler of this program, as two fields and commas. */
void hn_json_build(FILE *out);

#endif
