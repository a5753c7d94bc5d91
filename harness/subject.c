/* SPDX-License-Identifier: MIT */
/* Loading and validating subjects. */
#include "subject.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "family.h"

enum { KERNELS_MAX = 8192, NAME_MAX_BYTES = 40 };

static int library_path(const char *name, char *path, size_t size)
{
    char self[4000];
    if (strchr(name, '/')) return snprintf(path, size, "%s", name) < (int)size ? 0 : -1;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return -1;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    return snprintf(path, size, "%s/libckparity_%s.so", self, name) < (int)size ? 0 : -1;
}

static const char *bad_name(const char *text)
{
    if (!text || !*text) return "is missing";
    if (strlen(text) > NAME_MAX_BYTES) return "is longer than 40 characters";
    for (; *text; text++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", *text))
            return "has a character other than a-z 0-9 _";
    return NULL;
}

/* One line about the first thing wrong with an entry, in `error`; 0 if nothing is. */
static int check_kernel(const char *path, unsigned i, const ck_kernel *k, char *error,
                        unsigned size)
{
    const char *what = "stem", *why = bad_name(k->stem);
    if (!why) what = "isa", why = bad_name(k->isa);
    const hn_op *op = why ? NULL : hn_op_find(k->stem);
    if (op && (!k->family || strcmp(op->family->name, k->family) != 0))
        what = "family", why = "is not the family of its stem";
    if (!why && !k->fn) what = "fn", why = "is missing";
    if (!why && !k->spec) what = "spec", why = "is missing";
    if (!why && k->spec->lanes > 4096) what = "spec->lanes", why = "is above 4096";
    if (!why && k->spec->lanes && !k->spec->accs) what = "spec->accs", why = "is 0";
    if (!why && k->spec->accs > 64) what = "spec->accs", why = "is above 64";
    if (!why && k->spec->align & (k->spec->align - 1))
        what = "spec->align", why = "is no power of two";
    if (!why && k->spec->workspace)
        what = "spec->workspace", why = "is not supported: no family passes scratch memory";
    if (!why) return 0;
    snprintf(error, size, "%s: kernel %u (%.40s): %s %s", path, i, k->stem ? k->stem : "?", what,
             why);
    return -1;
}

/* Copies what both sides know of each entry; what the library's build lacks stays 0. */
static const ck_subject *adopt(const char *path, const ck_subject *theirs, char *error,
                               unsigned size)
{
    static ck_subject mine;
    if (!theirs || theirs->abi != CK_SUBJECT_ABI)
        return snprintf(error, size, "%s: speaks ABI %u, this program %d", path,
                        theirs ? theirs->abi : 0, CK_SUBJECT_ABI),
               NULL;
    memcpy(&mine, theirs, theirs->size < sizeof mine ? theirs->size : sizeof mine);
    if (mine.count > KERNELS_MAX || (mine.count && !mine.kernels))
        return snprintf(error, size, "%s: %u kernels, of at most %d", path, mine.count,
                        KERNELS_MAX),
               NULL;
    ck_kernel *kernels = calloc(mine.count + 1, sizeof *kernels);
    const unsigned char *from = (const unsigned char *)mine.kernels;
    for (unsigned i = 0; kernels && i < mine.count; i++) {
        unsigned step;
        memcpy(&step, from, sizeof step);
        if (step < offsetof(ck_kernel, domain) || step > 65536)
            return snprintf(error, size, "%s: kernel %u: size %u is no size of ck_kernel", path, i,
                            step),
                   NULL;
        memcpy(&kernels[i], from, step < sizeof *kernels ? step : sizeof *kernels);
        if (check_kernel(path, i, &kernels[i], error, size) != 0) return NULL;
        from += step;
    }
    mine.kernels = kernels;
    return kernels ? &mine : (snprintf(error, size, "out of memory"), NULL);
}

const ck_subject *hn_subject_open(const char *name, char *error, unsigned size)
{
    char path[4200];
    const ck_subject *(*get)(void) = NULL;
    if (!name) return adopt("built-in", ck_subject_v1(), error, size);
    if (library_path(name, path, sizeof path) != 0)
        return snprintf(error, size, "%s: path too long", name), NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(error, size, "--subject %s: %s", name, dlerror());
        return NULL;
    }
    void *symbol = dlsym(library, "ck_subject_v1");
    if (!symbol) return snprintf(error, size, "--subject %s: exports no ck_subject_v1", path), NULL;
    memcpy(&get, &symbol, sizeof get);
    return adopt(path, get(), error, size);
}

bool hn_filter_matches(const char *filter, const char *name)
{
    return strpbrk(filter, "*?[") ? fnmatch(filter, name, 0) == 0 : strstr(name, filter) != NULL;
}
