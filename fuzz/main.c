/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on files, and on the files of folders, without a fuzzer; builds everywhere. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILE_MAX = 1 << 20, PATH_MAX_BYTES = 4096 };

static int bad(const char *path, const char *why)
{
    fprintf(stderr, "replay: %s: %s\n", path, why);
    return -1;
}

/* The copy has the exact size, so that a sanitizer sees where it ends. */
static int run_file(const char *path)
{
    static uint8_t buffer[FILE_MAX];
    FILE *file = fopen(path, "rb");
    if (!file) return bad(path, strerror(errno));
    const size_t size = fread(buffer, 1, sizeof buffer, file);
    const int failed = ferror(file) || size == sizeof buffer;
    fclose(file);
    uint8_t *copy = failed ? NULL : malloc(size ? size : 1);
    if (!copy) return bad(path, "cannot be read, or is larger than 1 MiB");
    memcpy(copy, buffer, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

static int run_folder(const char *path, unsigned long *count)
{
    struct dirent **names;
    char file[PATH_MAX_BYTES];
    const int n = scandir(path, &names, NULL, alphasort);
    int failed = n < 0 ? bad(path, strerror(errno)) : 0;
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.' && !failed) {
            snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
            failed = run_file(file);
            ++*count;
        }
        free(names[i]);
    }
    if (n >= 0) free(names);
    return failed;
}

int main(int argc, char **argv)
{
    unsigned long count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        const int folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        if ((folder ? run_folder(argv[i], &count) : run_file(argv[i])) != 0) return 2;
        count += !folder;
    }
    printf("%lu inputs\n", count);
    return count > 0 ? 0 : 2;
}
