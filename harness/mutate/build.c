/* SPDX-License-Identifier: MIT */
/* Commands of a build, taken from compile_commands.json and ninja, run on other files. */
#include "build.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"

/* CPU seconds of a command; seconds of the clock that one of them may take on a busy machine. */
enum { COMPILE_SECONDS = 120, CLOCK_PER_CPU = 5, COMMAND_MAX = 65536 };

void hn_limit_cpu(double seconds)
{
    const rlim_t most = (rlim_t)seconds + 1;
    setrlimit(RLIMIT_CPU, &(struct rlimit){ most, most + 5 }); /* SIGXCPU, at the end SIGKILL */
}

int hn_wait(int pid, double seconds)
{
    const double until = hn_wall_seconds() + CLOCK_PER_CPU * seconds;
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        if (hn_wall_seconds() > until) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    kill(-pid, SIGKILL); /* what it may have left behind */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGXCPU) return -1; /* a shell's child */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int hn_shell(const char *command, const char *folder, const char *log, double seconds)
{
    const struct rlimit none = { 0, 0 };
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) return 127;
    if (pid > 0) return hn_wait(pid, seconds);
    setpgid(0, 0);
    const int out = open(log ? log : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out < 0 || chdir(folder) != 0) _exit(127);
    dup2(out, 1);
    dup2(out, 2);
    setrlimit(RLIMIT_CORE, &none);
    hn_limit_cpu(seconds);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

char *hn_read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(file);
    const size_t got = text ? fread(text, 1, (size_t)size, file) : 0;
    fclose(file);
    if (text) text[got] = '\0';
    if (text && length) *length = got;
    return text;
}

int hn_write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file) return -1;
    const bool bad = fwrite(text, 1, length, file) != length;
    return fclose(file) != 0 || bad ? -1 : 0;
}

char *hn_replace(const char *text, const char *from, const char *to)
{
    size_t count = 0;
    for (const char *p = text; (p = strstr(p, from)); p += strlen(from)) count++;
    char *out = malloc(strlen(text) + count * strlen(to) + 1), *end = out;
    for (const char *p; out && (p = strstr(text, from)); text = p + strlen(from)) {
        memcpy(end, text, (size_t)(p - text));
        end = stpcpy(end + (p - text), to);
    }
    if (out) strcpy(end, text);
    return out;
}

/* The value of the next "key" of the JSON text at *at, unescaped; NULL: there is none. */
static char *next_string(const char **at, const char *key)
{
    const char *p = strstr(*at, key);
    if (!p || !(p = strchr(p + strlen(key), '"'))) return NULL;
    char *value = malloc(strlen(p)), *end = value;
    for (p++; value && *p && *p != '"'; p++) {
        if (*p == '\\' && p[1]) p++;
        *end++ = *p;
    }
    if (value) *end = '\0';
    *at = p;
    return value;
}

static char *object_of(const char *command)
{
    const char *from = strstr(command, " -o ");
    return from ? strndup(from + 4, strcspn(from + 4, " ")) : NULL;
}

static int add_unit(hn_build *build, char *command, char *file)
{
    hn_unit *more = realloc(build->units, (build->nunits + 1) * sizeof *more);
    if (!more || !command || !file) return -1;
    build->units = more;
    build->units[build->nunits++] =
        (hn_unit){ .file = file, .command = command, .object = object_of(command) };
    return build->units[build->nunits - 1].object ? 0 : -1;
}

int hn_build_open(hn_build *build, const char *folder, char *error, size_t size)
{
    char path[PATH_MAX + 32], whole[PATH_MAX];
    /* commands run elsewhere */
    snprintf(path, sizeof path, "%s/compile_commands.json",
             realpath(folder, whole) ? whole : folder);
    char *text = hn_read_file(path, NULL);
    const char *at = text;
    if (!text) return snprintf(error, size, "%s cannot be read", path), -1;
    if (snprintf(build->folder, sizeof build->folder, "%s", whole) >= (int)sizeof build->folder) {
        free(text);
        return snprintf(error, size, "%s: a path of that length is not supported", folder), -1;
    }
    for (char *command; (command = next_string(&at, "\"command\":"));) {
        char *file = next_string(&at, "\"file\":");
        const char *tail = file ? strstr(file, "/kernels/cpu.c") : NULL;
        if (tail) snprintf(build->source, sizeof build->source, "%.*s", (int)(tail - file), file);
        if (strstr(command, " -o ") == NULL || add_unit(build, command, file) != 0) break;
    }
    free(text);
    if (build->nunits == 0 || build->source[0] == '\0')
        return snprintf(error, size, "%s: no commands, or none of kernels/cpu.c", path), -1;
    for (size_t i = 0; i < build->nunits; i++) {
        hn_unit *unit = &build->units[i];
        const size_t length = strlen(build->source);
        if (strncmp(unit->file, build->source, length) == 0 && unit->file[length] == '/')
            memmove(unit->file, unit->file + length + 1, strlen(unit->file + length));
    }
    return 0;
}

hn_unit *hn_build_unit(const hn_build *build, const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < build->nunits; i++) {
        const size_t has = strlen(build->units[i].file);
        if (has >= length && strcmp(build->units[i].file + has - length, path) == 0)
            return &build->units[i];
    }
    return NULL;
}

/* The unit's command, for the files in `root` and with another output. */
static char *redirect(const hn_build *build, const hn_unit *unit, const char *root,
                      const char *output)
{
    static const char *const folders[] = { "kernels", "ref", "harness" };
    char from[1200], to[2700];
    char *command = strdup(unit->command);
    for (size_t i = 0; command && i < sizeof folders / sizeof *folders; i++) {
        for (const char *end = "/ "; command && *end; end++) {
            snprintf(from, sizeof from, "%s/%s%c", build->source, folders[i], *end);
            snprintf(to, sizeof to, "%s/%s%c", root, folders[i], *end);
            char *next = hn_replace(command, from, to);
            free(command);
            command = next;
        }
    }
    if (!command) return NULL;
    snprintf(from, sizeof from, " -o %s", unit->object);
    snprintf(to, sizeof to, " -w %s", output);
    char *result = hn_replace(command, from, to);
    free(command);
    return result;
}

/* Of its command, what stands before the output. */
static size_t flags_length(const hn_unit *unit)
{
    const char *output = strstr(unit->command, " -o ");
    return output ? (size_t)(output - unit->command) : 0;
}

void hn_unit_precompile(hn_build *build, hn_unit *unit, const char *folder)
{
    static const char text[] = "#include <immintrin.h>\n";
    const size_t length = flags_length(unit);
    char header[1200], command[COMMAND_MAX];
    if (unit->precompiled || !strstr(unit->command, " -m")) return;
    for (size_t u = 0; u < build->nunits; u++) {
        const hn_unit *other = &build->units[u];
        if (!other->precompiled || flags_length(other) != length) continue;
        if (strncmp(other->command, unit->command, length) != 0) continue;
        unit->precompiled = other->precompiled;
        return;
    }
    snprintf(header, sizeof header, "%s/i%zu.h", folder, (size_t)(unit - build->units));
    snprintf(command, sizeof command, "%.*s -w -x c-header -o %s.gch %s", (int)length,
             unit->command, header, header);
    if (hn_write_file(header, text, sizeof text - 1) == 0 &&
        hn_shell(command, build->folder, NULL, COMPILE_SECONDS) == 0)
        unit->precompiled = strdup(header);
}

int hn_unit_compile(const hn_build *build, const hn_unit *unit, const char *root,
                    const char *object)
{
    char output[2600] = "";
    if (unit->precompiled) snprintf(output, sizeof output, "-include %s ", unit->precompiled);
    snprintf(output + strlen(output), sizeof output - strlen(output), "-o %s", object);
    char *command = redirect(build, unit, root, output);
    const int status = command ? hn_shell(command, build->folder, NULL, COMPILE_SECONDS) : 127;
    free(command);
    return status;
}

static int add_need(const hn_build *build, hn_unit *unit, const char *path)
{
    const size_t length = strlen(build->source);
    char real[4096];
    if (!realpath(path, real)) return 0;
    if (strncmp(real, build->source, length) != 0 || real[length] != '/') return 0;
    char **more = realloc(unit->needs, (unit->nneeds + 1) * sizeof *more);
    if (!more) return -1;
    unit->needs = more;
    unit->needs[unit->nneeds] = strdup(real + length + 1);
    return unit->needs[unit->nneeds++] ? 0 : -1;
}

int hn_unit_scan(const hn_build *build, hn_unit *unit)
{
    char log[64] = "/tmp/ckparity-needs-XXXXXX";
    const int file = mkstemp(log);
    if (file < 0) return -1;
    close(file);
    char *command = redirect(build, unit, build->source, "-MM");
    int status = command ? hn_shell(command, build->folder, log, COMPILE_SECONDS) : 127;
    char *text = hn_read_file(log, NULL), *colon = text ? strchr(text, ':') : NULL, *place = NULL;
    if (!colon) status = -1;
    for (char *word = colon ? strtok_r(colon + 1, " \n\\", &place) : NULL; word && status == 0;
         word = strtok_r(NULL, " \n\\", &place))
        status = add_need(build, unit, word);
    free(command);
    free(text);
    unlink(log);
    return status;
}

char *hn_link_command(const hn_build *build, const char *product)
{
    char query[1200], log[64] = "/tmp/ckparity-link-XXXXXX";
    const int file = mkstemp(log);
    if (file < 0) return NULL;
    close(file);
    snprintf(query, sizeof query, "ninja -t commands %s | tail -n 1", product);
    const int status = hn_shell(query, build->folder, log, COMPILE_SECONDS);
    char *text = hn_read_file(log, NULL), *command = NULL;
    unlink(log);
    char *from = text ? strstr(text, ": && ") : NULL, *to = from ? strstr(from, " && :") : NULL;
    if (status == 0 && to) command = strndup(from + 5, (size_t)(to - from - 5));
    free(text);
    return command;
}

int hn_link(const hn_build *build, const char *command, const char *product,
            const hn_unit *const *units, const char *const *objects, size_t n, const char *output)
{
    char from[1200], to[COMMAND_MAX];
    char *text = strdup(command);
    snprintf(from, sizeof from, " -o %s ", product);
    size_t used = (size_t)snprintf(to, sizeof to, " -o %s ", output);
    for (size_t i = 0; text && i < n; i++) {
        if (strstr(text, units[i]->object)) {
            char *next = hn_replace(text, units[i]->object, objects[i]);
            free(text);
            text = next;
        } else { /* of a library: the linker takes no other once it has this one */
            used += (size_t)snprintf(to + used, sizeof to - used, "%s ", objects[i]);
            if (used >= sizeof to) return -1;
        }
    }
    char *whole = text ? hn_replace(text, from, to) : NULL;
    const int status = whole ? hn_shell(whole, build->folder, NULL, COMPILE_SECONDS) : 127;
    free(text);
    free(whole);
    return status;
}
