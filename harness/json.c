/* SPDX-License-Identifier: MIT */
/* JSON, and files that are written as a whole. */
#include "json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#ifndef HN_COMMIT
#define HN_COMMIT "unknown"
#endif

int hn_file_open(hn_file *o, const char *path, char *error, size_t size)
{
    if (snprintf(o->path, sizeof o->path, "%s", path) >= (int)sizeof o->path)
        return snprintf(error, size, "%.60s...: path too long", path), -1;
    snprintf(o->temporary, sizeof o->temporary, "%s.%ld.tmp", path, (long)getpid());
    o->file = fopen(o->temporary, "w");
    return o->file ? 0 : (snprintf(error, size, "%s: %s", path, strerror(errno)), -1);
}

int hn_file_close(hn_file *o, char *error, size_t size)
{
    bool bad = ferror(o->file) || fflush(o->file) != 0 || fsync(fileno(o->file)) != 0;
    bad |= fclose(o->file) != 0;
    if (!bad && rename(o->temporary, o->path) == 0) return 0;
    snprintf(error, size, "%s: %s", o->path, strerror(errno));
    remove(o->temporary);
    return -1;
}

void hn_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

void hn_json_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    hn_json_string(out, text);
}

void hn_json_build(FILE *out)
{
    hn_json_field(out, "commit", HN_COMMIT);
    fprintf(out, ",\n  ");
    hn_json_field(out, "compiler", __VERSION__);
    fprintf(out, ",\n  ");
}
