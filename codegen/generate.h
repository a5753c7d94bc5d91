/* SPDX-License-Identifier: MIT */
/* C and lists that are made from a plan. */
#ifndef CG_GENERATE_H
#define CG_GENERATE_H

#include "plan.h"

typedef enum cg_mode { CG_LIBRARY, CG_STANDALONE, CG_SKELETON } cg_mode;

/* Everything that is emitted; checked before. */
typedef struct cg_program {
    cg_graph graph;
    cg_layout layout;
    cg_plan plan;
} cg_program;

/* Graph, layout and plan of a graph, which it takes over, each proved by its checker. 0 or -1. */
int cg_program_make(cg_program *p, cg_graph *g, const char *path, const cg_layout_options *options,
                    cg_error *error);
void cg_program_free(cg_program *p);

/* Prints the C of a mode. Library: a program for codegen/runtime (ck_program.h), behind
 * ck_program_v1(). Standalone: with a main() as well. Skeleton: the passes as calls of functions that
 * the reader provides. The same program gives the same bytes. Error: a kernel that kernels.def has
 * not; layers whose layouts differ. 0 or -1; whether the stream took it all is for the caller to see. */
int cg_emit(const cg_program *p, cg_mode mode, FILE *out, cg_error *error);

/* The sources that an emitted file is linked with, relative to the tree, one a line: the runtime, then
 * the kernel library. */
void cg_emit_manifest(FILE *out);

/* Writes the file at `path`, and for a library or a standalone the manifest path.kernels: both or
 * neither. 0 or -1. */
int cg_emit_file(const cg_program *p, cg_mode mode, const char *path, cg_error *error);

#endif
