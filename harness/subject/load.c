/* SPDX-License-Identifier: MIT */
/* Opening other libraries. */
#include "load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SETTINGS_MAX = 8 };

int hn_load_symbol(void *slot, void *library, const char *name)
{
    void *const symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

const char *hn_load_environment(const char *name)
{
    const char *const value = getenv(name);
    return value && *value ? value : NULL;
}

const char *hn_load_path(const char *variable, const char *const *paths, char *reason, size_t size)
{
    const char *const given = hn_load_environment(variable);
    if (given) {
        if (access(given, R_OK) == 0) return given;
        snprintf(reason, size, "not installed: %s (from %s)", given, variable);
        return NULL;
    }
    for (const char *const *path = paths; *path; path++)
        if (access(*path, R_OK) == 0) return *path;
    snprintf(reason, size, "not installed: %s", paths[0]);
    return NULL;
}

void hn_load_real_name(const char *path, char *name, size_t size)
{
    char *const real = realpath(path, NULL);
    const char *const whole = real ? real : path;
    const char *const slash = strrchr(whole, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : whole);
    free(real);
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* A file in memory with the same contents; -1 if that fails. */
static int copy_file(const char *path)
{
    struct stat status;
    off_t done = 0;
    const int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create(path, MFD_CLOEXEC);
    int bad = from < 0 || to < 0 || fstat(from, &status) != 0;
    while (!bad && done < status.st_size)
        bad = sendfile(to, from, &done, (size_t)(status.st_size - done)) <= 0;
    if (from >= 0) close(from);
    if (!bad) return to;
    if (to >= 0) close(to);
    return -1;
}

/* The loader takes a file for the same library if it has the same name, path or inode, so each copy
 * is another file, and its descriptor stays open, for that is its name. */
void *hn_load_copy(const char *path, const hn_setting *settings, void (*first)(void *library),
                   char *reason, size_t size)
{
    char name[64], *before[SETTINGS_MAX] = { NULL };
    const int copy = copy_file(path);
    if (copy < 0) {
        snprintf(reason, size, "%s: %s", path, strerror(errno));
        return NULL;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
    for (size_t i = 0; settings[i].name; i++) {
        const char *const value = getenv(settings[i].name);
        before[i] = value ? strdup(value) : NULL;
        set(settings[i].name, settings[i].value);
    }
    void *const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(reason, size, "%s: %s", path, dlerror());
    if (library && first) first(library);
    for (size_t i = 0; settings[i].name; i++) {
        set(settings[i].name, before[i]);
        free(before[i]);
    }
    return library;
}

const char *hn_load_lacks_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
               ? NULL
               : "CPU lacks avx2 or fma";
}

const char *hn_load_lacks_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? NULL
               : "CPU lacks avx512f, bw, dq or vl";
}

const ck_subject *hn_load_subject(const hn_adapter *adapter)
{
    static char version[4096 + 256];
    static ck_subject subject;
    if (subject.size) return &subject;
    subject =
        (ck_subject){ CK_SUBJECT_ABI, sizeof subject, adapter->name, version, 0, adapter->kernels };
    const char *const path =
        hn_load_path(adapter->variable, adapter->paths, version, sizeof version);
    if (!path) return &subject;
    strcpy(version, "unknown version");
    for (int v = 0; v < adapter->variants; v++) {
        const char *const reason = adapter->load(v, path, version);
        for (int k = v; *reason && k < adapter->count; k += adapter->variants)
            adapter->kernels[k].unavailable = reason;
    }
    subject.count = (unsigned)adapter->count;
    return &subject;
}
