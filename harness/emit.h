/* SPDX-License-Identifier: MIT */
/* A case as one C file that needs no harness. */
#ifndef HN_EMIT_H
#define HN_EMIT_H

#include <stdio.h>

#include "group.h"

typedef struct hn_repro {
    const hn_plan *plan;
    const hn_case *c;
    size_t variant;
    const hn_result *result;   /* of the variant */
    const unsigned char *bits; /* HN_CHECK_STRICT: the output that others agree on, packed */
    const char *origin;        /* the command that writes the file */
    const char *build;         /* the command that builds and runs it */
} hn_repro;

/* Writes the file: it exits 1 if what `result` says still happens, 0 if not. `runner` has the case
 * prepared. Returns 0, or -1 with one line in `error`. */
int hn_emit(const hn_repro *repro, hn_runner *runner, FILE *out, char *error, size_t size);

#endif
