/* SPDX-License-Identifier: MIT */
/* A readable sketch of a decoder. */
#ifndef CG_SKELETON_H
#define CG_SKELETON_H

#include "generate.h"

/* Prints both passes and a main(), behind the head of the file. 0 or -1. */
int cg_emit_skeleton(const cg_program *p, FILE *out, cg_error *error);

#endif
