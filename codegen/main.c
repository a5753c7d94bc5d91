/* SPDX-License-Identifier: MIT */
/* ckgen: from the description of a decoder to its C. Exit: 0 done, 2 bad input or nothing written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

static const char usage[] = "usage: ckgen CONFIG.json | --ir IR.json [options]\n"
                            "  --ctx N        positions; default the model's, at most 2048\n"
                            "  --ir-out FILE  write the graph\n"
                            "  --dump         print the graph and its mirror image\n";

typedef struct options {
    const char *config, *ir, *ir_out;
    size_t context;
    bool dump, help;
} options;

static int read_count(const char *name, const char *text, size_t most, size_t *value,
                      cg_error *error)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < 1 || n > most)
        return cg_fail(error, "%s: \"%.40s\", wanted an integer 1 to %zu", name, text, most);
    *value = (size_t)n;
    return 0;
}

static int read_options(options *o, int argc, char **argv, cg_error *error)
{
    for (int i = 1; i < argc; i++) {
        const char *const name = argv[i];
        const char **text = NULL;
        if (strcmp(name, "--help") == 0) {
            o->help = true;
        } else if (strcmp(name, "--dump") == 0) {
            o->dump = true;
        } else if (strcmp(name, "--ir") == 0) {
            text = &o->ir;
        } else if (strcmp(name, "--ir-out") == 0) {
            text = &o->ir_out;
        } else if (strcmp(name, "--ctx") == 0) {
            if (++i == argc) return cg_fail(error, "%s: needs a value", name);
            if (read_count(name, argv[i], CG_MAX_CONTEXT, &o->context, error) != 0) return -1;
        } else if (name[0] == '-' || o->config) {
            return cg_fail(error, "%s: unknown option; ckgen --help lists them", name);
        } else {
            o->config = name;
        }
        if (text && ++i == argc) return cg_fail(error, "%s: needs a value", name);
        if (text) *text = argv[i];
    }
    if (!o->help && !o->config == !o->ir)
        return cg_fail(error, "wanted either CONFIG.json or --ir IR.json; see ckgen --help");
    return o->ir && o->context ? cg_fail(error, "--ctx: not with --ir, which says it") : 0;
}

static int read_graph(const options *o, cg_graph *g, cg_error *error)
{
    cg_config config;
    if (o->ir)
        return cg_graph_read(g, o->ir, error) != 0 ? -1 : cg_graph_check(g, o->ir, NULL, error);
    if (cg_config_read(&config, o->config, o->context, error) != 0) return -1;
    return cg_graph_build(g, &config, error);
}

static int write_ir(const cg_graph *g, const char *path, cg_error *error)
{
    cg_file f;
    if (cg_open(&f, path, error) != 0) return -1;
    cg_graph_write(g, f.file);
    if (cg_finish(&f, error) == 0 && cg_publish(&f, error) == 0) return 0;
    cg_abandon(&f);
    return -1;
}

static int dump(const cg_graph *g, cg_error *error)
{
    cg_graph backward = { 0 };
    if (cg_graph_reverse(&backward, g, error) != 0) return -1;
    cg_graph_dump(g, stdout);
    cg_graph_dump(&backward, stdout);
    cg_graph_free(&backward);
    return 0;
}

static int run(const options *o, cg_error *error)
{
    cg_graph g = { 0 };
    int status = read_graph(o, &g, error);
    if (status == 0 && o->dump) status = dump(&g, error);
    if (status == 0 && o->ir_out) status = write_ir(&g, o->ir_out, error);
    cg_graph_free(&g);
    return status;
}

int main(int argc, char **argv)
{
    cg_error error;
    options o = { 0 };
    int status = read_options(&o, argc, argv, &error);
    if (status == 0 && o.help)
        fputs(usage, stdout);
    else if (status == 0)
        status = run(&o, &error);
    if (status == 0 && fflush(stdout) != 0) status = cg_fail(&error, "stdout: %s", strerror(errno));
    if (status != 0) fprintf(stderr, "ckgen: %s\n", error.text);
    return status == 0 ? 0 : 2;
}
