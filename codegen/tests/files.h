/* SPDX-License-Identifier: MIT */
/* Files of weights in tests: one path in a folder that goes away. */
#ifndef CG_TESTS_FILES_H
#define CG_TESTS_FILES_H

#include <stdbool.h>

#include "ck_model.h"

/* A file as a whole; room for twice its size and 200 bytes. */
typedef struct file {
    unsigned char *bytes;
    size_t size;
} file;

extern char cg_path[64];
int cg_begin_files(void); /* 0 or -1 */
int cg_end_files(void);   /* fails if a temporary file was left */

file cg_read_file(void);
void cg_write_file(const unsigned char *bytes, size_t size);
void cg_put32(unsigned char *at, uint32_t value);
/* Loads a damaged file: taken; or refused by one line that names it, and neither the arena nor the file is
 * another than before. Whether it is taken. */
bool cg_load_damaged(ck_model *m, const file *f);
/* The checksum of a changed file made right again: behind it other checks show. */
void cg_seal(file *f);
/* Saves to the path; fails the test if it cannot. */
void cg_save(ck_model *m, ck_weights_kind kind);

#endif
