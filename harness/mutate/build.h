/* SPDX-License-Identifier: MIT */
/* Compiling and linking mutated copies with the commands of an existing build. */
#ifndef HN_MUTATE_BUILD_H
#define HN_MUTATE_BUILD_H

#include <stdbool.h>
#include <stddef.h>

/* A file that the build compiles. */
typedef struct hn_unit {
    char *file;    /* in the source tree */
    char *command; /* as the build has it */
    char *object;  /* as the command names it */
    char **needs;  /* files of the tree that it includes, itself first; after hn_unit_scan */
    size_t nneeds;
    char *precompiled; /* a header that is included first; after hn_unit_precompile */
} hn_unit;

typedef struct hn_build {
    char source[1024], folder[1024]; /* absolute */
    hn_unit *units;
    size_t nunits;
} hn_build;

/* Reads compile_commands.json of the folder. Returns 0, or -1 with a line in `error`. */
int hn_build_open(hn_build *build, const char *folder, char *error, size_t size);

/* The unit whose file ends with `path`; NULL. */
hn_unit *hn_build_unit(const hn_build *build, const char *path);

/* Asks the compiler what the unit includes. */
int hn_unit_scan(const hn_build *build, hn_unit *unit);

/* Precompiles, into `folder`, the intrinsics' header, which takes most of a kernel's compilation; units
 * with the same flags share it. Without effect if that fails or the unit has no instruction set. */
void hn_unit_precompile(hn_build *build, hn_unit *unit, const char *folder);

/* Compiles the unit as it is in `root`, a copy of the tree's folders, without warnings. */
int hn_unit_compile(const hn_build *build, const hn_unit *unit, const char *root,
                    const char *object);

/* The build's command that links `product`, to be freed; NULL. */
char *hn_link_command(const hn_build *build, const char *product);
/* Runs it with the units' objects replaced by those at `objects`. */
int hn_link(const hn_build *build, const char *command, const char *product,
            const hn_unit *const *units, const char *const *objects, size_t n, const char *output);

/* Runs a command in a folder, with output to `log`. Returns its exit status, 128 + its signal, or -1
 * if one of its processes took more CPU time, or all of it five times as long by the clock. */
int hn_shell(const char *command, const char *folder, const char *log, double seconds);
/* In a child: its own limit. */
void hn_limit_cpu(double seconds);
/* Waits for a process that has the limit, and its group. The same result. */
int hn_wait(int pid, double seconds);

/* The whole file, to be freed, with a zero after it; NULL. */
char *hn_read_file(const char *path, size_t *length);
int hn_write_file(const char *path, const char *text, size_t length);

/* Replaces every `from` in text, to be freed. */
char *hn_replace(const char *text, const char *from, const char *to);

#endif
