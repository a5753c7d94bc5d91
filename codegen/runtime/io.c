/* SPDX-License-Identifier: MIT */
/* Errors of one line, and files that are read and written as a whole. */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cg_fail(cg_error *error, const char *format, ...)
{
    va_list args;
    if (!error) return -1;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    for (char *c = error->text; *c; c++)
        if (*c < 0x20 || *c == 0x7f) *c = '?';
    return -1;
}

/* The bytes of the open file, whose size is known; one byte more would show that it grew. */
static char *read_all(int fd, const char *path, size_t size, cg_error *error)
{
    char *const bytes = malloc(size + 1);
    size_t done = 0;
    if (!bytes) return cg_fail(error, "%s: no memory for %zu bytes", path, size), NULL;
    while (done <= size) {
        const ssize_t got = read(fd, bytes + done, size + 1 - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    if (done != size) {
        cg_fail(error, "%s: %zu bytes expected, %s came", path, size,
                done < size ? "fewer" : "more");
        free(bytes);
        return NULL;
    }
    bytes[size] = 0;
    return bytes;
}

char *cg_read(const char *path, size_t most, size_t *size, cg_error *error)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat at;
    char *bytes = NULL;
    if (fd < 0) return cg_fail(error, "%s: %s", path, strerror(errno)), NULL;
    if (fstat(fd, &at) != 0 || !S_ISREG(at.st_mode)) {
        cg_fail(error, "%s: not a regular file", path);
    } else if ((unsigned long long)at.st_size > most) {
        cg_fail(error, "%s: %lld bytes, at most %zu are read", path, (long long)at.st_size, most);
    } else {
        *size = (size_t)at.st_size;
        bytes = read_all(fd, path, *size, error);
    }
    close(fd);
    return bytes;
}

int cg_open(cg_file *f, const char *path, cg_error *error)
{
    struct stat at;
    *f = (cg_file){ 0 };
    if (snprintf(f->path, sizeof f->path, "%s", path) >= (int)sizeof f->path)
        return cg_fail(error, "%.60s...: path too long, at most %zu", path, sizeof f->path - 1);
    if (stat(path, &at) == 0 && !S_ISREG(at.st_mode))
        return cg_fail(error, "%s: not a regular file, cannot be replaced", path);
    snprintf(f->temporary, sizeof f->temporary, "%s.%ld.tmp", path, (long)getpid());
    const int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return cg_fail(error, "%s: %s", path, strerror(errno));
    f->file = fdopen(fd, "wb");
    if (f->file) return 0;
    close(fd);
    remove(f->temporary);
    return cg_fail(error, "%s: %s", path, strerror(errno));
}

int cg_finish(cg_file *f, cg_error *error)
{
    int bad = ferror(f->file) != 0;
    bad |= fflush(f->file) != 0 || fsync(fileno(f->file)) != 0;
    bad |= fclose(f->file) != 0;
    f->file = NULL;
    return bad ? cg_fail(error, "%s: %s", f->path, strerror(errno)) : 0;
}

int cg_publish(cg_file *f, cg_error *error)
{
    if (rename(f->temporary, f->path) != 0)
        return cg_fail(error, "%s: %s", f->path, strerror(errno));
    f->temporary[0] = 0;
    return 0;
}

void cg_abandon(cg_file *f)
{
    if (f->file) fclose(f->file);
    if (f->temporary[0]) remove(f->temporary);
    *f = (cg_file){ 0 };
}
