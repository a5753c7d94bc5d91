/* SPDX-License-Identifier: MIT */
/* ggml as a subject: its rows, dots and conversions in every per-ISA CPU build that
 * @node-llama-cpp/linux-x64 has. docs/subjects.md tells what it shows. Nothing of ggml is linked or
 * copied; the few declarations below hold for the one version that is accepted. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ck_dtype.h"
#include "gemm.h"
#include "quant.h"

#define GGML_VERSION "0.25.1"
#define PACKAGE      "node_modules/@node-llama-cpp/linux-x64/bins/linux-x64"

enum { GGML_TYPE_F32 = 0 };

typedef void ggml_to_float(const void *x, float *y, int64_t n);
typedef void ggml_from_float(const float *x, void *y, int64_t n);
/* s = x . y; x is a row of weights, y of activations, one of each: nrc = 1, strides unused. */
typedef void ggml_vec_dot(int n, float *s, size_t bs, const void *x, size_t bx, const void *y,
                          size_t by, int nrc);

/* s[i * bs + j] = weights j . activations i, nr rows of activations (gemm: four interleaved, gemv: one) and
 * nc packed rows of weights, a multiple of 8, of n elements each. */
typedef void ggml_packed(int n, float *s, size_t bs, const void *weights, const void *activations,
                         int nr, int nc);

typedef struct ggml_type_traits {
    const char *type_name;
    int64_t blck_size, blck_size_interleave;
    size_t type_size;
    bool is_quantized;
    ggml_to_float *to_float;
    ggml_from_float *from_float_ref;
} ggml_type_traits;

typedef struct ggml_type_traits_cpu {
    ggml_from_float *from_float;
    ggml_vec_dot *vec_dot;
    int vec_dot_type; /* an enum there */
    int64_t nrows;
} ggml_type_traits_cpu;

/* Formats of both: our two names, theirs, their code. */
#define FORMATS(X)            \
    X(bf16, BF16, "bf16", 30) \
    X(f16, F16, "f16", 1)     \
    X(q4_0, Q4_0, "q4_0", 2)  \
    X(q4_1, Q4_1, "q4_1", 3)  \
    X(q4_k, Q4_K, "q4_K", 12) \
    X(q5_0, Q5_0, "q5_0", 6)  \
    X(q5_1, Q5_1, "q5_1", 7)  \
    X(q5_k, Q5_K, "q5_K", 13) \
    X(q6_k, Q6_K, "q6_K", 14) \
    X(q8_0, Q8_0, "q8_0", 8)  \
    X(q8_1, Q8_1, "q8_1", 9)  \
    X(q8_k, Q8_K, "q8_K", 15)

/* What is compared, each sorted. A block of q8_1 is never decoded there; their quantisers of q4_K,
 * q5_K and q6_K search for scales and are no formula. */
#define DECODED(X) \
    X(bf16) X(f16) X(q4_0) X(q4_1) X(q4_k) X(q5_0) X(q5_1) X(q5_k) X(q6_k) X(q8_0) X(q8_k)
#define ENCODED(X, build, dot, round) \
    X(bf16, build, exact)             \
    X(f16, build, exact)              \
    X(q4_0, build, ties)              \
    X(q4_1, build, ties)              \
    X(q5_0, build, ties)              \
    X(q5_1, build, ties) X(q8_0, build, round) X(q8_1, build, round) X(q8_k, build, exact)
#define DOTS(X, build, dot, round) \
    X(q4_0, q8_0, build, dot)      \
    X(q4_1, q8_1, build, dot)      \
    X(q4_k, q8_k, build, dot)      \
    X(q5_0, q8_0, build, dot)      \
    X(q5_1, q8_1, build, dot)      \
    X(q5_k, q8_k, build, dot)      \
    X(q6_k, q8_k, build, dot)      \
    X(q8_0, q8_0, build, dot)

/* Weights of eight interleaved rows, in our layout too, and what they are multiplied by. */
#define PACKED(X, build, dot, round) \
    X(q4_0x8, q8_0, build, dot)      \
    X(q4_kx8, q8_k, build, dot)
enum { PACKED_q4_0x8, PACKED_q4_kx8, PACKED_COUNT };

/* The builds, in alphabetical order; whether their dots use FMA, and how they round q8_0. */
#define BUILDS(X)                 \
    X(alderlake, fma, exact)      \
    X(cannonlake, fma, exact)     \
    X(cascadelake, fma, exact)    \
    X(cooperlake, fma, exact)     \
    X(haswell, fma, exact)        \
    X(icelake, fma, exact)        \
    X(ivybridge, muladd, exact)   \
    X(piledriver, fma, exact)     \
    X(sandybridge, muladd, exact) \
    X(sapphirerapids, fma, exact) \
    X(skylakex, fma, exact)       \
    X(sse42, muladd, ties)        \
    X(x64, muladd, ties)          \
    X(zen4, fma, exact)

#define ENUM(name, dot, round) BUILD_##name,
enum { BUILDS(ENUM) BUILD_COUNT };
#undef ENUM
#define ENUM(ours, OURS, theirs, code) FORMAT_##ours,
enum { FORMATS(ENUM) FORMAT_COUNT };
#undef ENUM

/* What was found in one libggml-cpu-*.so. */
typedef struct build {
    const char *name;
    ggml_vec_dot *vec_dot[FORMAT_COUNT]; /* by the format of the weights */
    ggml_from_float *from_float[FORMAT_COUNT];
    ggml_vec_dot *vec_dot_f32;
    ggml_packed *gemv[PACKED_COUNT], *gemm[PACKED_COUNT];
    char reason[256]; /* why it cannot run, "" if it can */
} build;

#define NAME(build, dot, round) { .name = #build },
static build builds[BUILD_COUNT] = { BUILDS(NAME) };
#undef NAME
static ggml_to_float *to_float[FORMAT_COUNT];

static const struct {
    const char *name;
    int code;
    size_t elements, bytes;
} formats[FORMAT_COUNT] = {
#define FORMAT(ours, OURS, theirs, code) { theirs, code, CK_##OURS##_BLOCK, CK_##OURS##_BYTES },
    FORMATS(FORMAT)
#undef FORMAT
};

/* Weights in format w, activations in format a. */
static void gemm_q(const build *b, int w, int a, const void *args)
{
    const ck_gemm_q_args *const g = args;
    const char *const x = g->a, *const weights = g->b;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            float sum = 0;
            if (g->k != 0)
                b->vec_dot[w]((int)g->k, &sum, 0, weights + j * g->ldb * formats[w].bytes, 0,
                              x + i * g->lda * formats[a].bytes, 0, 1);
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
}

/* Four rows of activations interleaved: d[4]; eight codes of each in turn. */
static void interleave_codes(char *four, const char *const *row, size_t elements, size_t d_bytes)
{
    for (size_t r = 0; r < 4; r++) {
        memcpy(four + d_bytes * r, row[r], d_bytes);
        for (size_t e = 0; e < elements; e += 8)
            memcpy(four + 4 * d_bytes + 4 * e + 8 * r, row[r] + d_bytes + e, 8);
    }
}

static void interleave_q8_0(char *four, const char *const *row)
{
    interleave_codes(four, row, CK_Q8_0_BLOCK, 2);
}

/* Of q8_K then for each 64 elements the four bsums of each row. */
static void interleave_q8_k(char *four, const char *const *row)
{
    char *const bsums = four + 4 * (4 + CK_K_BLOCK);
    interleave_codes(four, row, CK_K_BLOCK, 4);
    for (size_t r = 0; r < 4; r++)
        for (size_t e = 0; e < 4; e++)
            memcpy(bsums + 32 * e + 8 * r, row[r] + 4 + CK_K_BLOCK + 8 * e, 8);
}

/* What a packed product takes, and its names there. */
typedef struct packed_format {
    size_t elements, a_bytes, b_bytes;
    void (*interleave)(char *four, const char *const *row);
    const char *gemv, *gemm;
} packed_format;
static const packed_format packed_formats[PACKED_COUNT] = {
    [PACKED_q4_0x8] = { CK_Q4_0_BLOCK, CK_Q8_0_BYTES, CK_Q4_0X8_BYTES, interleave_q8_0,
                        "ggml_gemv_q4_0_8x8_q8_0", "ggml_gemm_q4_0_8x8_q8_0" },
    [PACKED_q4_kx8] = { CK_K_BLOCK, CK_Q8_K_BYTES, CK_Q4_KX8_BYTES, interleave_q8_k,
                        "ggml_gemv_q4_K_8x8_q8_K", "ggml_gemm_q4_K_8x8_q8_K" },
};

/* One call: the build, the format, the arguments. */
typedef struct packed_call {
    const build *b;
    int kind;
    const packed_format *f;
    const ck_gemm_p_args *g;
    size_t blocks;
} packed_call;

/* Rows i .. i + 3 of a, interleaved. */
static void interleave_rows(char *four, const packed_call *c, size_t i)
{
    const char *row[4];
    for (size_t l = 0; l < c->blocks; l++, four += 4 * c->f->a_bytes) {
        for (size_t r = 0; r < 4; r++)
            row[r] = (const char *)c->g->a + ((i + r) * c->g->lda + l) * c->f->a_bytes;
        c->f->interleave(four, row);
    }
}

/* At least so many bytes that are there until the next call for that place; ours are never given back. */
static void *scratch(int place, size_t bytes)
{
    static void *at[2];
    static size_t size[2];
    if (bytes <= size[place] && at[place]) return at[place];
    free(at[place]);
    size[place] = bytes + 1;
    at[place] = malloc(size[place]);
    if (!at[place]) abort();
    return at[place];
}

/* One run of `columns` rows of weights from row j on, which lie close to each other, as ggml does a whole
 * product: rows of activations by fours, what is left one by one. */
static void packed_columns(const packed_call *c, size_t j, size_t columns, const char *four,
                           float *y, size_t ldy)
{
    const ck_gemm_p_args *const g = c->g;
    const char *weights = (const char *)g->b + j / CK_X8_ROWS * g->ldb * c->f->b_bytes;
    const size_t quads = g->m / 4 * 4;
    if (quads) c->b->gemm[c->kind]((int)g->k, y + j, ldy, weights, four, (int)quads, (int)columns);
    for (size_t i = quads; i < g->m; i++)
        c->b->gemv[c->kind]((int)g->k, y + i * ldy + j, ldy, weights,
                            (const char *)g->a + i * g->lda * c->f->a_bytes, 1, (int)columns);
}

/* Interleaving is timed, as ggml does it to what it quantises. */
static void packed_product(const packed_call *c, float *y, size_t ldy, size_t columns)
{
    const ck_gemm_p_args *const g = c->g;
    const size_t row = c->blocks * c->f->a_bytes;
    const size_t step = g->ldb == c->blocks ? columns : CK_X8_ROWS;
    char *const four = scratch(0, g->m * row);
    for (size_t i = 0; i + 4 <= g->m; i += 4) interleave_rows(four + i * row, c, i);
    for (size_t j = 0; j < columns; j += step) packed_columns(c, j, step, four, y, ldy);
}

static void gemm_p(const build *b, int kind, const void *args)
{
    const ck_gemm_p_args *const g = args;
    const packed_format *const f = &packed_formats[kind];
    const packed_call c = { b, kind, f, g, g->k / f->elements };
    const size_t columns = (g->n + CK_X8_ROWS - 1) / CK_X8_ROWS * CK_X8_ROWS;
    const int whole = columns == g->n;
    float *const y = whole ? g->y : scratch(1, g->m * columns * sizeof *y);
    const size_t ldy = whole ? g->ldy : columns;
    if (g->k) packed_product(&c, y, ldy, columns);
    for (size_t i = 0; i < g->m && (!whole || g->bias || !g->k); i++)
        for (size_t j = 0; j < g->n; j++) {
            const float sum = g->k ? y[i * ldy + j] : 0;
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
}

static void gemm_f32(const build *b, const void *args)
{
    const ck_gemm_args *const g = args;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            float y = 0;
            if (g->k != 0)
                b->vec_dot_f32((int)g->k, &y, 0, g->b + j * g->ldb, 0, g->a + i * g->lda, 0, 1);
            y *= g->alpha;
            if (g->beta != 0) y += g->beta * g->c[i * g->ldc + j];
            g->y[i * g->ldy + j] = g->bias ? y + g->bias[j] : y;
        }
}

static void quantize(const build *b, int format, const void *args)
{
    const ck_quantize_args *const q = args;
    b->from_float[format](q->x, q->y, (int64_t)q->n);
}

static void dequant(int format, const void *args)
{
    const ck_dequant_args *const d = args;
    to_float[format](d->x, d->y, (int64_t)d->n);
}

/* A ck_fn has no place for the build or the format, so each pair has functions of its own. */
#define DEQUANT(w) \
    static void dequant_##w(const void *args) { dequant(FORMAT_##w, args); }
#define DOT(w, a, build, dot)                                         \
    static void dot_##w##_##a##_##build(const void *args)             \
    {                                                                 \
        gemm_q(&builds[BUILD_##build], FORMAT_##w, FORMAT_##a, args); \
    }
#define PACKED_DOT(w, a, build, dot)                      \
    static void dot_##w##_##a##_##build(const void *args) \
    {                                                     \
        gemm_p(&builds[BUILD_##build], PACKED_##w, args); \
    }
#define QUANTIZE(w, build, round)                           \
    static void quantize_##w##_##build(const void *args)    \
    {                                                       \
        quantize(&builds[BUILD_##build], FORMAT_##w, args); \
    }
#define THUNKS(build, dot, round)                                                             \
    static void dot_f32_##build(const void *args) { gemm_f32(&builds[BUILD_##build], args); } \
    DOTS(DOT, build, dot, round)                                                              \
    PACKED(PACKED_DOT, build, dot, round)                                                     \
    ENCODED(QUANTIZE, build, dot, round)
DECODED(DEQUANT)
BUILDS(THUNKS)
#undef DEQUANT
#undef DOT
#undef PACKED_DOT
#undef QUANTIZE
#undef THUNKS

static const ck_numspec dot_fma = { .accs = 1, .flags = CK_NUM_BATCH_INVARIANT };
static const ck_numspec dot_muladd = { .accs = 1, .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT };
/* Rows by fours and a row alone are other kernels. */
static const ck_numspec packed_fma = { .accs = 1 };
static const ck_numspec packed_muladd = { .accs = 1, .flags = CK_NUM_MULADD };
static const ck_numspec round_exact = { .accs = 1 };
/* Half away from zero, and two roundings in the scale. */
static const ck_numspec round_ties = { .accs = 1, .flags = CK_NUM_TIE_EITHER };
static const ck_numspec dequant_spec = { .accs = 1 };

/* ggml's quantiser makes codes -127..127, and no promise on NaN, infinity, a scale's underflow or
 * another rounding mode. */
static const ck_domain dot_domain = { .code_min = -127,
                                      .flags = CK_DOMAIN_FINITE | CK_DOMAIN_NEAREST };
static const ck_domain dequant_domain = { .code_min = -128, .flags = CK_DOMAIN_NEAREST };
static const ck_domain quantize_domain = {
    .code_min = -128, .flags = CK_DOMAIN_FINITE | CK_DOMAIN_NORMAL | CK_DOMAIN_NEAREST
};

#define DEQUANT(w)                                                                      \
    { sizeof(ck_kernel), "dequant_row_" #w, "dequant", "base", NULL, dequant_##w, NULL, \
      &dequant_spec,     &dequant_domain,   NULL },
#define F32(build, dot, round)                                              \
    { sizeof(ck_kernel), "gemm_nt_f32", "gemm",     #build,           NULL, \
      dot_f32_##build,   NULL,          &dot_##dot, &quantize_domain, NULL },
#define DOT(w, a, build, dot)  \
    { sizeof(ck_kernel),       \
      "gemm_nt_" #w "_" #a,    \
      "gemm_q",                \
      #build,                  \
      NULL,                    \
      dot_##w##_##a##_##build, \
      NULL,                    \
      &dot_##dot,              \
      &dot_domain,             \
      NULL },
#define PACKED_DOT(w, a, build, dot) \
    { sizeof(ck_kernel),             \
      "gemm_nt_" #w "_" #a,          \
      "gemm_p",                      \
      #build,                        \
      NULL,                          \
      dot_##w##_##a##_##build,       \
      NULL,                          \
      &packed_##dot,                 \
      &dot_domain,                   \
      NULL },
#define QUANTIZE(w, build, round) \
    {                             \
        sizeof(ck_kernel),        \
        "quantize_row_" #w,       \
        "quantize",               \
        #build,                   \
        NULL,                     \
        quantize_##w##_##build,   \
        NULL,                     \
        &round_##round,           \
        &quantize_domain,         \
        NULL                      \
    },
#define ROWS(build, dot, round)  \
    F32(build, dot, round)       \
    DOTS(DOT, build, dot, round) \
    PACKED(PACKED_DOT, build, dot, round) ENCODED(QUANTIZE, build, dot, round)
static ck_kernel kernels[] = { DECODED(DEQUANT) BUILDS(ROWS) };
#undef DEQUANT
#undef F32
#undef DOT
#undef PACKED_DOT
#undef QUANTIZE
#undef ROWS

/* The function of that name into *slot, a pointer to a function pointer; 0 if there is none. POSIX
 * has the two kinds of pointers share one representation, ISO C no cast between them. */
static int find(void *slot, void *library, const char *name)
{
    void *const symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

static const char *environment(const char *name)
{
    const char *const value = getenv(name);
    return value && *value ? value : NULL;
}

static void locate(char *directory, size_t size)
{
    const char *value;
    if ((value = environment("CK_GGML_DIR")))
        snprintf(directory, size, "%s", value);
    else if ((value = environment("CK_PEERS")))
        snprintf(directory, size, "%s/" PACKAGE, value);
    else if ((value = environment("XDG_CACHE_HOME")))
        snprintf(directory, size, "%s/ckparity/peers/" PACKAGE, value);
    else if ((value = environment("HOME")))
        snprintf(directory, size, "%s/.cache/ckparity/peers/" PACKAGE, value);
    else
        snprintf(directory, size, "%s", PACKAGE);
}

/* The decoders of libggml-base.so, whose formats must be ours. */
static int find_decoders(void *base, const ggml_type_traits *(*traits_of)(int type), char *version,
                         size_t size)
{
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const ggml_type_traits *const traits = traits_of(formats[i].code);
        if (strcmp(traits->type_name, formats[i].name) != 0 ||
            traits->blck_size != (int64_t)formats[i].elements ||
            traits->type_size != formats[i].bytes) {
            snprintf(version, size, "type %d is not %s of %zu elements in %zu bytes",
                     formats[i].code, formats[i].name, formats[i].elements, formats[i].bytes);
            return 0;
        }
        to_float[i] = traits->to_float;
    }
    /* not among the traits */
    return find(&to_float[FORMAT_q8_k], base, "dequantize_row_q8_K");
}

/* Checks libggml-base.so and takes the decoders from it. Fills `version`; 0 if ggml is not usable, and
 * then `version` says why. */
static int load_base(const char *directory, char *version, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libggml-base.so", directory);
    if (access(path, F_OK) != 0) {
        snprintf(version, size, "not installed: %s", path);
        return 0;
    }
    void *const base = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *(*version_of)(void), *(*commit_of)(void);
    const ggml_type_traits *(*traits_of)(int type);
    if (!base) {
        snprintf(version, size, "%s", dlerror());
        return 0;
    }
    if (!find(&version_of, base, "ggml_version") || !find(&commit_of, base, "ggml_commit") ||
        !find(&traits_of, base, "ggml_get_type_traits")) {
        snprintf(version, size, "%s: is not ggml " GGML_VERSION, path);
        return 0;
    }
    if (strcmp(version_of(), GGML_VERSION) != 0) {
        snprintf(version, size, "%s: is ggml %s, wanted " GGML_VERSION, path, version_of());
        return 0;
    }
    if (!find_decoders(base, traits_of, version, size)) return 0;
    snprintf(version, size, "%s (%s)", version_of(), commit_of());
    return 1;
}

static int find_packed(build *b, void *library)
{
    int found = 1;
    for (int i = 0; i < PACKED_COUNT; i++)
        found = found && find(&b->gemv[i], library, packed_formats[i].gemv) &&
                find(&b->gemm[i], library, packed_formats[i].gemm);
    return found;
}

/* Only the score may be asked of a build before it is known that this CPU runs it. */
static void load_build(build *b, const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libggml-cpu-%s.so", directory, b->name);
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*score)(void);
    void (*init)(void);
    const ggml_type_traits_cpu *(*traits_of)(int type);
    if (!library) {
        snprintf(b->reason, sizeof b->reason, "%s", dlerror());
        return;
    }
    if (!find(&score, library, "ggml_backend_score") || !find(&init, library, "ggml_cpu_init") ||
        !find_packed(b, library) || !find(&traits_of, library, "ggml_get_type_traits_cpu")) {
        snprintf(b->reason, sizeof b->reason, "libggml-cpu-%s.so lacks a symbol", b->name);
        return;
    }
    if (score() == 0) {
        snprintf(b->reason, sizeof b->reason, "ggml_backend_score() is 0 here");
        return;
    }
    init(); /* without it every scale that goes through ggml's f16 table is 0 */
    b->vec_dot_f32 = traits_of(GGML_TYPE_F32)->vec_dot;
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const ggml_type_traits_cpu *const traits = traits_of(formats[i].code);
        b->vec_dot[i] = traits->vec_dot;
        b->from_float[i] = traits->from_float;
    }
}

/* By stem, then build. */
static int compare(const void *a, const void *b)
{
    const ck_kernel *const x = a, *const y = b;
    const int stems = strcmp(x->stem, y->stem);
    return stems ? stems : strcmp(x->isa, y->isa);
}

static void load_builds(const char *directory)
{
    const size_t count = sizeof kernels / sizeof *kernels;
    for (size_t i = 0; i < BUILD_COUNT; i++) {
        load_build(&builds[i], directory);
        for (size_t k = 0; k < count && builds[i].reason[0]; k++)
            if (strcmp(kernels[k].isa, builds[i].name) == 0)
                kernels[k].unavailable = builds[i].reason;
    }
    qsort(kernels, count, sizeof *kernels, compare);
}

/* The libraries stay open: their functions are in the table. */
const ck_subject *ck_subject_v1(void)
{
    static char version[4096 + 256];
    static ck_subject subject = { CK_SUBJECT_ABI, sizeof subject, "ggml", version, 0, kernels };
    static int loaded;
    if (!loaded) {
        loaded = 1;
        char directory[4000];
        locate(directory, sizeof directory);
        if (load_base(directory, version, sizeof version)) {
            load_builds(directory);
            subject.count = sizeof kernels / sizeof *kernels;
        }
    }
    return &subject;
}
