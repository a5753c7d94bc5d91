/* SPDX-License-Identifier: MIT */
/* The command line of a standalone decoder. */
#ifndef CK_STANDALONE_H
#define CK_STANDALONE_H

#include "ck.h"
#include "ck_program.h"

/* Runs the program as its arguments say (--help lists them). The exit code: 0 done, 1 a kernel or the
 * output failed, 2 bad input. */
CK_API int ck_standalone(const ck_program *program, int argc, char **argv);

#endif
