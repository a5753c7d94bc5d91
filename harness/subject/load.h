/* SPDX-License-Identifier: MIT */
/* What adapters share: other libraries opened at run time, as often as they have variants. */
#ifndef HN_LOAD_H
#define HN_LOAD_H

#include <stddef.h>

#include "ck_subject.h"

/* The function of that name into *slot, a pointer to a function pointer; 0 if there is none. POSIX
 * has the two kinds of pointers share one representation, ISO C no cast between them. */
int hn_load_symbol(void *slot, void *library, const char *name);

/* The value of an environment variable; NULL: unset or empty. */
const char *hn_load_environment(const char *name);

/* Where a library is: the value of `variable` if that is set, else the first of the paths, a list
 * that ends with NULL, that is there. Returns NULL, with the reason, if none is. */
const char *hn_load_path(const char *variable, const char *const *paths, char *reason, size_t size);

/* The last part of what the path leads to: libsleef.so.3.5.1 of libsleef.so.3. */
void hn_load_real_name(const char *path, char *name, size_t size);

/* A variable of the environment while a library is opened; value NULL: unset. */
typedef struct hn_setting {
    const char *name, *value;
} hn_setting;

/* Opens a copy of the library for itself, its own data included, under these settings, which end
 * with a name of NULL. Many libraries choose their kernels once, when they are loaded or first used;
 * copies choose apart. `first`, if not NULL, is called under the settings as well. Returns NULL, with
 * the reason, if the library cannot be opened. It stays open until the process ends. */
void *hn_load_copy(const char *path, const hn_setting *settings, void (*first)(void *library),
                   char *reason, size_t size);

/* What a CPU lacks for kernels of AVX2 with FMA, of AVX-512 F, BW, DQ and VL; NULL: nothing. */
const char *hn_load_lacks_avx2(void);
const char *hn_load_lacks_avx512(void);

/* A library of which each variant has a copy. */
typedef struct hn_adapter {
    const char *name;         /* of the subject */
    const char *variable;     /* as hn_load_path() */
    const char *const *paths; /* the same */
    ck_kernel *kernels;       /* sorted by stem, then variant: those of a stem have all variants */
    int count, variants;
    /* Opens a variant. Returns why it cannot run, "" if it can; fills in the version, 32 bytes. */
    const char *(*load)(int variant, const char *path, char *version);
} hn_adapter;

/* The subject, with every variant opened at the first call; without the library it has no kernels, and
 * the reason is its version. */
const ck_subject *hn_load_subject(const hn_adapter *adapter);

#endif
