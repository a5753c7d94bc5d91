/* SPDX-License-Identifier: MIT */
/* The command line of a standalone decoder. */
#include "ck_standalone.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ck_model.h"
#include "ck_threads.h"
#include "io.h"

static const char usage[] =
    "usage: PROGRAM --weights FILE | --random SEED [options]\n"
    "  --tokens LIST    token ids, separated by commas\n"
    "  --generate N     then the N most likely tokens, one after the other\n"
    "  --logits FILE    logits of each position that was run, as raw f32\n"
    "  --save FILE      the weights, by name; --save-bump FILE: as BUMPWGT3\n"
    "  --strict         strict-parity mode\n"
    "  --threads N      of products and attention, 1 to 256; default 1; 0: CK_NUM_THREADS, or all "
    "cores\n"
    "  --dump           the buffers: offset, bytes, name, layer\n";

typedef struct options {
    const char *weights, *tokens, *logits, *save, *save_bump;
    unsigned long long seed;
    size_t generate;
    int threads, random, strict, dump, help;
} options;

static int fail(const char *text)
{
    fprintf(stderr, "%s\n", text);
    return 2;
}

static int read_number(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text < '0' || *text > '9' || *end || errno || *value > most ? -1 : 0;
}

static int read_option(options *o, const char *name, const char *text, cg_error *error)
{
    static const struct {
        const char *name;
        size_t at;
    } texts[] = { { "--weights", offsetof(options, weights) },
                  { "--tokens", offsetof(options, tokens) },
                  { "--logits", offsetof(options, logits) },
                  { "--save", offsetof(options, save) },
                  { "--save-bump", offsetof(options, save_bump) } };
    static const struct {
        const char *name;
        unsigned long long most;
    } numbers[] = { { "--random", ~0ull },
                    { "--generate", 1u << 24 },
                    { "--threads", CK_THREADS_MOST } };
    unsigned long long number = 0;
    size_t n = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0) {
            if (!text) return cg_fail(error, "%s: needs a value", name);
            memcpy((char *)o + texts[i].at, &text, sizeof text);
            return 0;
        }
    while (n < 3 && strcmp(name, numbers[n].name) != 0) n++;
    if (n == 3) return cg_fail(error, "%s: unknown option; --help lists them", name);
    if (!text) return cg_fail(error, "%s: needs a value", name);
    if (read_number(text, numbers[n].most, &number) != 0)
        return cg_fail(error, "%s: \"%.40s\", wanted an integer up to %llu", name, text,
                       numbers[n].most);
    if (n == 0) o->random = 1, o->seed = number;
    if (n == 1) o->generate = (size_t)number;
    if (n == 2) o->threads = (int)number;
    return 0;
}

static int read_options(options *o, int argc, char **argv, cg_error *error)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            o->help = 1;
        else if (strcmp(argv[i], "--strict") == 0)
            o->strict = 1;
        else if (strcmp(argv[i], "--dump") == 0)
            o->dump = 1;
        else if (read_option(o, argv[i], i + 1 < argc ? argv[i + 1] : NULL, error) != 0)
            return -1;
        else
            i++;
    }
    if (o->help) return 0;
    if ((o->weights != NULL) + o->random > 1 || (!o->weights && !o->random && !o->dump))
        return cg_fail(error, "wanted either --weights or --random; see --help");
    if (!o->tokens && (o->generate || o->logits))
        return cg_fail(error, "%s: needs --tokens", o->generate ? "--generate" : "--logits");
    return 0;
}

/* A list of ids: how many, or -1. */
static long read_tokens(const char *list, int32_t *ids, size_t most, cg_error *error)
{
    size_t count = 0;
    for (const char *at = list;; at++) {
        char *end = NULL;
        errno = 0;
        const unsigned long id = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || errno || id > INT32_MAX || (*end && *end != ','))
            return cg_fail(error, "--tokens: \"%.40s\": wanted ids separated by commas", at);
        if (count == most)
            return cg_fail(error, "--tokens: more than the %zu positions of the context", most);
        ids[count++] = (int32_t)id;
        at = end;
        if (!*at) return (long)count;
    }
}

static size_t likeliest(const float *logits, size_t vocab)
{
    size_t best = 0;
    for (size_t i = 1; i < vocab; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

static int write_floats(const char *path, const float *x, size_t n, cg_error *error)
{
    cg_file f;
    if (cg_open(&f, path, error) != 0) return -1;
    fwrite(x, sizeof *x, n, f.file);
    if (cg_finish(&f, error) == 0 && cg_publish(&f, error) == 0) return 0;
    cg_abandon(&f);
    return -1;
}

/* Runs the tokens and prints those that are generated. logits: [context][vocab]. */
static int generate(ck_model *m, const options *o, float *logits, int32_t *ids, cg_error *error)
{
    const ck_decoder *const d = &ck_model_program(m)->decoder;
    const long count = read_tokens(o->tokens, ids, d->context, error);
    if (count < 0) return 2;
    if (o->generate > d->context - (size_t)count + 1) { /* the last one is not run */
        cg_fail(error, "--generate: %zu after %ld tokens, the context has %zu positions",
                o->generate, count, d->context);
        return 2;
    }
    int status = ck_model_prefill(m, ids, (size_t)count, logits, d->context * d->vocab);
    for (size_t i = 0; i < o->generate && status == CK_MODEL_OK; i++) {
        const size_t at = ck_model_position(m);
        const size_t id = likeliest(logits + (at - 1) * d->vocab, d->vocab);
        printf("%zu\n", id);
        if (i + 1 < o->generate)
            status = ck_model_decode(m, (int32_t)id, logits + at * d->vocab,
                                     (d->context - at) * d->vocab);
    }
    if (status != CK_MODEL_OK) {
        cg_fail(error, "%s", ck_model_error(m));
        return status == CK_MODEL_KERNEL ? 1 : 2;
    }
    const size_t n = ck_model_position(m) * d->vocab;
    return o->logits && write_floats(o->logits, logits, n, error) != 0 ? 2 : 0;
}

static int run_tokens(ck_model *m, const options *o, cg_error *error)
{
    const ck_decoder *const d = &ck_model_program(m)->decoder;
    float *const logits = malloc(d->context * d->vocab * sizeof *logits);
    int32_t *const ids = malloc(d->context * sizeof *ids);
    int status = 1;
    if (logits && ids)
        status = generate(m, o, logits, ids, error);
    else
        cg_fail(error, "no memory for the logits");
    free(logits);
    free(ids);
    return status;
}

static void dump(const ck_program *p)
{
    for (size_t i = 0; i < p->buffer_count; i++) {
        const ck_buffer *const b = &p->buffers[i];
        for (size_t l = 0; l < (b->of_layer ? p->decoder.layers : 1); l++) {
            printf("%zu %zu ", b->offset + l * b->stride, b->bytes);
            if (b->of_layer) printf("L%zu.", l);
            printf("%s\n", b->name);
        }
    }
    printf("total %zu\n", p->bytes);
}

static int use_model(ck_model *m, const options *o, cg_error *error)
{
    int status = CK_MODEL_OK;
    if (o->weights) status = ck_model_load(m, o->weights);
    if (o->random) status = ck_model_randomise(m, o->seed);
    if (status == CK_MODEL_OK && o->save) status = ck_model_save(m, o->save, CK_WEIGHTS_NAMED);
    if (status == CK_MODEL_OK && o->save_bump)
        status = ck_model_save(m, o->save_bump, CK_WEIGHTS_BUMP3);
    if (status != CK_MODEL_OK) {
        cg_fail(error, "%s", ck_model_error(m));
        return 2;
    }
    if (o->dump) dump(ck_model_program(m));
    return o->tokens ? run_tokens(m, o, error) : 0;
}

int ck_standalone(const ck_program *program, int argc, char **argv)
{
    options o = { .threads = 1 };
    cg_error error = { "" };
    ck_model *m = NULL;
    if (read_options(&o, argc, argv, &error) != 0) return fail(error.text);
    if (o.help) return fputs(usage, stdout) < 0 || fflush(stdout) != 0 ? 1 : 0;
    if (o.strict) ck_set_strict_parity(1);
    if (ck_set_num_threads(o.threads) != CK_OK)
        return fail("CK_NUM_THREADS: wanted an integer 1 to 256");
    if (ck_model_open(&m, program) != CK_MODEL_OK) return fail("no memory for the model");
    int status = use_model(m, &o, &error);
    ck_model_close(m);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (status == 0) status = 1;
        snprintf(error.text, sizeof error.text, "stdout: %s", strerror(errno));
    }
    if (status != 0) fprintf(stderr, "%s\n", error.text);
    return status;
}
