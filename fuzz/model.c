/* SPDX-License-Identifier: MIT */
/* Fuzz target: the generator's parsers. The first byte chooses: 'c' a config.json, 'g' the file of a
 * graph; its upper bits the format of the weights. What is taken is a decoder that prints, and parses to what prints alike, and whose layout and
 * plan hold, or is too large; what is refused has a reason of one line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "generate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 1 << 14, LAYERS_TRIED = 64, MEMORY_TRIED = 1 << 26 };

static void stop(const char *what, const char *text)
{
    fprintf(stderr, "fuzz: %s: \"%s\"\n", what, text);
    abort();
}

static void check_error(const cg_error *error)
{
    if (strncmp(error->text, "input", 5) != 0) stop("refused without its place", error->text);
    for (const char *c = error->text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) stop("more than a line", error->text);
}

static char *print(const cg_graph *g, size_t *size)
{
    char *text = NULL;
    FILE *const out = open_memstream(&text, size);
    if (!out) stop("no memory", "");
    cg_graph_write(g, out);
    if (fclose(out) != 0) stop("no memory", "");
    return text;
}

static void check_print(const cg_graph *g)
{
    cg_graph again = { 0 };
    cg_error error;
    size_t size, second;
    char *const text = print(g, &size);
    if (cg_graph_parse(&again, text, size, "input", &error) != 0) stop(error.text, text);
    char *const printed = print(&again, &second);
    if (strcmp(text, printed) != 0) stop("printed otherwise when parsed again", text);
    free(text);
    free(printed);
    cg_graph_free(&again);
}

/* One of the formats of weights. */
static ck_dtype format_of(unsigned number)
{
    ck_dtype format = (ck_dtype)(number % CK_DTYPE_COUNT);
    while (!cg_is_weight_format(format)) format = (ck_dtype)((format + 1) % CK_DTYPE_COUNT);
    return format;
}

/* Takes g over, which has been checked; with weights in `format` as far as they fit. */
static void check_program(cg_graph *g, ck_dtype format)
{
    cg_error refusal = { "" };
    ck_dtype *const formats =
        cg_formats_choose(&(cg_formats){ .all = format }, &g->config, &refusal);
    if (!formats) stop("a decoder without formats", refusal.text);
    const cg_layout_options o = { .cap = MEMORY_TRIED, .dtype = formats };
    cg_program p;
    cg_error error = { "" };
    const char *const large[] = { "memory: more than", "too large", "beyond the address space" };
    const int status = cg_program_make(&p, g, "input", &o, &error);
    free(formats);
    if (status == 0) {
        cg_program_free(&p);
        return;
    }
    for (int i = 0; i < 3; i++)
        if (strstr(error.text, large[i])) return;
    stop("a decoder without a program", error.text);
}

static void try_graph(cg_graph *g, ck_dtype format)
{
    cg_error error = { "" };
    check_print(g);
    if (cg_graph_check(g, "input", NULL, &error) != 0) {
        check_error(&error);
        cg_graph_free(g);
        return;
    }
    check_program(g, format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const text = (const char *)data + 1;
    const bool graph = size > 0 && (data[0] & 4) == ('g' & 4);
    cg_graph g = { 0 };
    cg_config c;
    cg_error error = { "" };
    if (size < 1 || size > TEXT_MAX) return 0;
    const ck_dtype format = format_of(data[0] >> 3);
    if (graph && cg_graph_parse(&g, text, size - 1, "input", &error) == 0)
        try_graph(&g, format);
    else if (!graph && cg_config_parse(&c, text, size - 1, "input", 0, &error) == 0) {
        if (c.layers > LAYERS_TRIED) c.layers = LAYERS_TRIED;
        if (cg_graph_build(&g, &c, &error) != 0) stop("a config without a graph", error.text);
        try_graph(&g, format);
    } else {
        check_error(&error);
    }
    return 0;
}
