/* SPDX-License-Identifier: MIT */
/* The C of one step. */
#ifndef CG_EMIT_STEP_H
#define CG_EMIT_STEP_H

#include "generate.h"

/* Its function, which fills the argument struct of the kernel and calls its public entry. */
void cg_emit_step(const cg_program *p, const cg_step *s, FILE *out);
/* The header of the argument struct of a kernel. */
const char *cg_kernel_header(cg_kernel_id kernel);
/* Whether kernels.def has that entry's op, or the runtime has it. */
bool cg_entry_exists(const char *entry);
/* The name of a buffer in emitted C: in capitals. */
void cg_emit_name(const char *name, FILE *out);
/* A float constant that reads back as the same float. */
void cg_emit_float(float value, FILE *out);

#endif
