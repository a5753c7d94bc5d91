/* SPDX-License-Identifier: MIT */
/* Starting programs and reading what they said. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127, SIGNALLED = 128 };

extern char **environ;

static int set_files(posix_spawn_file_actions_t *actions, const char *out, const char *err)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    int failed = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (out) failed |= posix_spawn_file_actions_addopen(actions, 1, out, flags, 0600);
    if (err && out && strcmp(out, err) == 0)
        failed |= posix_spawn_file_actions_adddup2(actions, 1, 2);
    else if (err)
        failed |= posix_spawn_file_actions_addopen(actions, 2, err, flags, 0600);
    return failed;
}

int hn_spawn(const char *const *argv, const char *out, const char *err)
{
    posix_spawn_file_actions_t actions;
    char *arguments[64];
    pid_t pid;
    int status = 0;
    size_t n = 0;
    for (; argv[n] && n < 63; n++) {
        arguments[n] = strdup(argv[n]); /* posix_spawn takes no const */
        if (!arguments[n]) break;
    }
    arguments[n] = NULL;
    fflush(NULL);
    int failed = argv[n] ? ENOMEM : posix_spawn_file_actions_init(&actions);
    if (!failed) {
        failed = set_files(&actions, out, err);
        if (!failed) failed = posix_spawnp(&pid, argv[0], &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    for (size_t i = 0; i < n; i++) free(arguments[i]);
    if (failed) return NOT_STARTED;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return NOT_STARTED;
    return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

char *hn_read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t used = 0, got = 1;
    while (file && got > 0) {
        char *more = realloc(text, used + 65537);
        if (!more) break;
        text = more;
        got = fread(text + used, 1, 65536, file);
        used += got;
        text[used] = '\0';
    }
    const int bad = !file || got > 0 || ferror(file);
    if (file) fclose(file);
    if (bad) free(text);
    return bad ? NULL : text;
}

void hn_find_line(const char *text, const char *find, int first, char *line, size_t size)
{
    line[0] = '\0';
    while (text && *text) {
        const size_t length = strcspn(text, "\n");
        const char *at = strstr(text, find);
        if (!at) return;
        if (first ? at == text : at < text + length) {
            snprintf(line, size, "%.*s", (int)length, text);
            return;
        }
        text += length + (text[length] == '\n');
    }
}
