/* SPDX-License-Identifier: MIT */
/* Files of weights. */
#ifndef CK_WEIGHTS_H
#define CK_WEIGHTS_H

#include "io.h"
#include "model.h"

/* A tensor's place in a file. */
typedef struct ck_entry {
    ck_tensor tensor;
    size_t offset;   /* in the file */
    int heads_first; /* [heads][rows][head] in the file, [rows][heads][head] in memory; of f32 only */
} ck_entry;

/* Check everything of a file but the values of its tensors, and fill entries [ck_tensor_count]. 0 or -1. */
int ck_bump_read(const ck_program *p, const char *path, const unsigned char *file, size_t size,
                 ck_entry *entries, cg_error *error);
int ck_named_read(const ck_program *p, const char *path, const unsigned char *file, size_t size,
                  ck_entry *entries, cg_error *error);

/* Lays the file out: its size, and entries with their offsets. 0 or -1: this kind cannot hold it. */
int ck_bump_plan(const ck_program *p, const char *path, ck_entry *entries, size_t *size,
                 cg_error *error);
int ck_named_plan(const ck_program *p, const char *path, ck_entry *entries, size_t *size,
                  cg_error *error);
/* Headers of a file whose tensors are there. */
void ck_bump_seal(const ck_program *p, const ck_entry *entries, unsigned char *file, size_t size);
void ck_named_seal(const ck_program *p, const ck_entry *entries, unsigned char *file, size_t size);

/* Little-endian numbers. */
uint32_t ck_get32(const unsigned char *at);
uint64_t ck_get64(const unsigned char *at);
void ck_put32(unsigned char *at, uint32_t value);
void ck_put64(unsigned char *at, uint64_t value);

/* As ck_model_load and ck_model_save. */
int ck_weights_load(ck_model *m, const char *path);
int ck_weights_save(ck_model *m, const char *path, ck_weights_kind kind);

#endif
