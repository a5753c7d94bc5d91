/* SPDX-License-Identifier: MIT */
/* Cases as C. The parts that do not depend on the case are emit/repro.c.in, cut at its lines "@name". */
#include "emit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than a compiler should be asked to read. */
enum { CELLS_MAX = 1 << 18, BYTES_MAX = 1 << 22 };

extern const char hn_repro_text[];

/* What a file shows is one of these parts. */
static const char *part_of_check(const hn_result *result)
{
    switch (result->check) {
    case HN_CHECK_UNWRITTEN:
    case HN_CHECK_REPEAT:
    case HN_CHECK_JUNK:
    case HN_CHECK_PREFILL: return "passes";
    case HN_CHECK_STRICT: return "bits";
    case HN_CHECK_NONE:
    case HN_CHECK_NAN:
    case HN_CHECK_VALUE: return "values";
    case HN_CHECK_HARNESS:
    case HN_CHECK_ISA:
    case HN_CHECK_COUNT: return NULL;
    default: return "calls";
    }
}

static void put_part(const char *name, FILE *out)
{
    char mark[32];
    const size_t length = (size_t)snprintf(mark, sizeof mark, "\n@%s\n", name);
    const char *from = strncmp(hn_repro_text, mark + 1, length - 1) == 0
                           ? hn_repro_text + length - 1
                           : strstr(hn_repro_text, mark) + length;
    const char *to = strstr(from, "\n@");
    fwrite(from, 1, to ? (size_t)(to + 1 - from) : strlen(from), out);
}

static void put_head(const hn_repro *r, FILE *out)
{
    const hn_variant *v = &r->plan->variants[r->variant];
    const hn_result *result = r->result;
    char line[HN_LINE_MAX];
    hn_case_print(r->c, line, sizeof line);
    fprintf(out, "// %s_%s %s: %s", v->kernel->stem, v->kernel->isa, v->strict ? "strict" : "fast",
            hn_verdict_names[result->verdict]);
    if (result->check != HN_CHECK_NONE)
        fprintf(out, " %s: %s", hn_check_names[result->check], result->what);
    fprintf(out,
            "\n// case: %s\n"
            "// From the folder in which it was written:\n//   %s\n"
            "// Exits 1 if the fault shows, 0 if it does not. Written by:\n//   %s\n",
            line, r->build, r->origin);
    fprintf(out, "#define _GNU_SOURCE\n");
    static const char *const headers[] = { "math.h",     "signal.h", "stddef.h",   "stdint.h",
                                           "stdio.h",    "stdlib.h", "string.h",   "sys/mman.h",
                                           "sys/wait.h", "unistd.h", "xmmintrin.h" };
    if (result->check == HN_CHECK_ABI) fprintf(out, "#include <cpuid.h>\n");
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        fprintf(out, "#include <%s>\n", headers[i]);
    fprintf(out, "\n#include \"ck_subject.h\"\n#include \"%s\"\n\n", r->c->op->family->header);
}

static void put_constants(const hn_repro *r, FILE *out)
{
    const hn_variant *v = &r->plan->variants[r->variant];
    enum { PATIENCE_SECONDS = 4 };
    fprintf(out, "#define STEM \"%s\"\n#define ISA  \"%s\"\n", v->kernel->stem, v->kernel->isa);
    fprintf(out,
            "enum { STRICT = %d, MXCSR = 0x%x, SIGNED_ZERO = %d, SECONDS = %d, FORKED = %d };\n\n",
            v->strict, hn_case_mxcsr(r->c), (r->c->op->family->flags & HN_SIGNED_ZERO) != 0,
            PATIENCE_SECONDS, r->result->check == HN_CHECK_CRASH);
}

/* One unit a call: a float, its bits, an integer, or the bytes of a block. */
static void put_unit(const unsigned char *at, hn_dtype dtype, bool as_bits, FILE *out)
{
    const size_t unit = hn_dtypes[dtype].bytes;
    float value;
    uint32_t bits;
    if (dtype == HN_I32) {
        fprintf(out, "%.0f,", hn_part(&hn_dtypes[dtype], at, 0));
        return;
    }
    if (unit != sizeof value) {
        for (size_t b = 0; b < unit; b++) fprintf(out, "%s0x%02x,", b ? " " : "", at[b]);
        return;
    }
    memcpy(&value, at, sizeof value);
    memcpy(&bits, at, sizeof bits);
    if (as_bits)
        fprintf(out, "0x%08xu /* %a */,", bits, (double)value);
    else if (isinf(value))
        fprintf(out, "%sINFINITY,", value < 0 ? "-" : "");
    else
        fprintf(out, "%af,", (double)value);
}

static bool has_nan(const hn_placed *p, const size_t *live)
{
    for (size_t r = 0; r < p->rows && p->unit == sizeof(float); r++)
        for (size_t c = 0; c < (live ? live[r] : p->cols); c++) {
            float value;
            memcpy(&value, p->at + (r * p->ld + c) * p->unit, sizeof value);
            if (isnan(value)) return true;
        }
    return false;
}

static size_t live_units(const hn_placed *p, const size_t *live)
{
    size_t units = 0;
    for (size_t r = 0; p->at && r < p->rows; r++) units += live ? live[r] : p->cols;
    return units;
}

/* True if some row has other than cols live units. */
static bool is_ragged(const hn_placed *p, const size_t *live)
{
    return p->at && live_units(p, live) != p->rows * p->cols;
}

static void put_live(const char *name, const hn_placed *p, const size_t *live, FILE *out)
{
    if (!is_ragged(p, live)) return;
    fprintf(out, "static const size_t %s_live[] = {", name);
    for (size_t r = 0; r < p->rows; r++) fprintf(out, "%s%zu,", r % 20 ? " " : "\n    ", live[r]);
    fprintf(out, "\n};\n");
}

static void put_data(const char *name, const hn_placed *p, const size_t *live, hn_dtype dtype,
                     FILE *out)
{
    const bool bits = has_nan(p, live), floats = p->unit == sizeof(float);
    if (live_units(p, live) == 0) return;
    fprintf(out, "static const %s %s_data[] = {",
            !floats           ? "unsigned char"
            : dtype == HN_I32 ? "int32_t"
            : bits            ? "uint32_t"
                              : "float",
            name);
    for (size_t r = 0; r < p->rows; r++) {
        for (size_t c = 0; c < (live ? live[r] : p->cols); c++) {
            fprintf(out, "%s", c % 5 && floats ? " " : "\n    ");
            put_unit(p->at + (r * p->ld + c) * p->unit, dtype, bits, out);
        }
    }
    fprintf(out, "\n};\n");
}

static const hn_placed *operand_of(const hn_runner *runner, size_t i)
{
    const size_t *live;
    return hn_group_operand(runner, i, &live);
}

static void put_operand(const hn_repro *r, const hn_runner *runner, size_t i, FILE *out)
{
    static const char *const edges[] = {
        [HN_END] = "END", [HN_START] = "START", [HN_MIDDLE] = "MIDDLE"
    };
    const size_t *live;
    const hn_placed *p = hn_group_operand(runner, i, &live);
    const char *name = r->c->op->family->operands[i].name;
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    r->c->op->family->extents(r->c, extents);
    fprintf(out, "    { .name = \"%s\"", name);
    if (hn_is_output(r->c->op, i)) fprintf(out, ", .written = 1");
    if (!hn_is_output(r->c->op, i) && live_units(p, live)) fprintf(out, ", .data = %s_data", name);
    if (is_ragged(p, live)) fprintf(out, ", .live = %s_live", name);
    fprintf(out, ", .rows = %zu, .cols = %zu, .ld = %zu, .unit = %zu", p->rows, p->cols, p->ld,
            p->unit);
    fprintf(out, ",\n      .edge = %s, .offset = %u, .step = %zu },\n", edges[r->c->at[i].edge],
            r->c->at[i].offset * (unsigned)hn_dtypes[hn_operand_dtype(r->c->op, i)].align,
            hn_batch_step(r->c, i, &extents[i], p->ld) * p->unit);
}

static void put_operands(const hn_repro *r, const hn_runner *runner, FILE *out)
{
    const hn_family *family = r->c->op->family;
    for (size_t i = 0; i < family->noperands; i++) {
        const size_t *live;
        const hn_placed *p = hn_group_operand(runner, i, &live);
        put_live(family->operands[i].name, p, live, out);
        if (!hn_is_output(r->c->op, i) && p->at)
            put_data(family->operands[i].name, p, live, hn_operand_dtype(r->c->op, i), out);
    }
    fprintf(out, "\nstatic operand operands[] = {\n");
    for (size_t i = 0; i < family->noperands; i++) put_operand(r, runner, i, out);
    fprintf(out, "};\n\n");
}

static void put_double(double x, FILE *out)
{
    if (isnan(x))
        fprintf(out, "(double)NAN");
    else if (isinf(x))
        fprintf(out, "%s(double)INFINITY", x < 0 ? "-" : "");
    else
        fprintf(out, "%a", x);
}

static size_t count_cells(const hn_repro *r, const hn_runner *runner)
{
    const hn_tile *tiles;
    const size_t ntiles = hn_group_tiles(runner, &tiles);
    size_t cells = 0;
    for (size_t t = 0; t < ntiles; t++) cells += hn_tile_cells(r->c->op, &tiles[t]);
    return cells;
}

static int put_tile(const hn_repro *r, hn_runner *runner, const hn_tile *tile, FILE *out)
{
    const size_t parts = hn_dtypes[hn_operand_dtype(r->c->op, tile->operand)].parts;
    const size_t n = hn_tile_cells(r->c->op, tile);
    const ref_spec spec = hn_group_spec(runner, r->variant);
    double *cells = malloc(3 * n * sizeof *cells);
    if (!cells) return -1;
    ref_out balls = { .n = n, .v = cells, .term = cells + n, .e = cells + 2 * n };
    hn_group_balls(runner, tile, &spec, &balls);
    for (size_t i = 0; i < n; i++) {
        const size_t unit = i / parts;
        fprintf(out, "    { %zu, %zu, %zu, %zu, ", tile->operand,
                tile->part.r0 + unit / tile->part.cols, tile->part.c0 + unit % tile->part.cols,
                i % parts);
        put_double(balls.v[i], out);
        fprintf(out, ", ");
        put_double(balls.e[i], out);
        fprintf(out, " },\n");
    }
    free(cells);
    return 0;
}

static void put_slice(const hn_slice *s, FILE *out)
{
    fprintf(out, "{ %u, %u, {", s->width, s->first);
    for (size_t b = 0; b < 8; b++) fprintf(out, "%s%u", b ? ", " : " ", s->step[b]);
    fprintf(out, " } }");
}

/* What a part is to the emitted file: its enum kind. */
static const char *kind_of(const hn_field *f, const hn_case *c)
{
    const bool numbers = c->op->family->flags & HN_NUMBERS;
    if (f->encoding == HN_SINGLE && f->meaning == HN_NUMBER)
        return hn_copies(c) ? "UNSIGNED" : "SINGLE";
    if (f->encoding == HN_HALF && numbers) return "HALF";
    if (f->encoding == HN_BRAIN && numbers) return "BRAIN";
    return f->encoding == HN_SIGNED ? "SIGNED" : "UNSIGNED";
}

static void put_fields_of(const hn_dtype_info *info, const hn_case *c, FILE *out)
{
    for (const hn_field *f = info->fields; f->count; f++) {
        fprintf(out, "    { %u, %s, { ", f->count, kind_of(f, c));
        put_slice(&f->slices[0], out);
        fprintf(out, ", ");
        put_slice(&f->slices[1], out);
        fprintf(out, " } }, /* %s */\n", f->name[0] ? f->name : "value");
    }
}

static void put_format(const hn_case *c, size_t output, FILE *out)
{
    const hn_dtype_info *info = &hn_dtypes[hn_operand_dtype(c->op, output)];
    fprintf(out, "/* %s */\nstatic const field %s_fields[] = {\n", info->name,
            c->op->family->operands[output].name);
    for (size_t r = 0; r < info->rows; r++) put_fields_of(&info->row[r], c, out);
    if (info->rows == 0) put_fields_of(info, c, out);
    fprintf(out, "};\n");
}

static void put_fields(const hn_case *c, FILE *out)
{
    const hn_family *family = c->op->family;
    put_part("fields", out);
    for (size_t i = 0; i < family->noperands; i++)
        if (hn_is_output(c->op, i)) put_format(c, i, out);
    fprintf(out, "/* of each output */\nstatic const field *const fields[] = {");
    for (size_t i = 0; i < family->noperands; i++)
        if (hn_is_output(c->op, i))
            fprintf(out, "%s[%zu] = %s_fields", i ? ", " : " ", i, family->operands[i].name);
    fprintf(out, " };\n");
    put_part("part_of", out);
}

static int put_cells(const hn_repro *r, hn_runner *runner, FILE *out)
{
    const hn_tile *tiles;
    const size_t ntiles = hn_group_tiles(runner, &tiles);
    int status = 0;
    put_fields(r->c, out);
    fprintf(out,
            "/* operand, row, column, part, value, radius */\nstatic const cell cells[] = {\n");
    for (size_t t = 0; t < ntiles && status == 0; t++) status = put_tile(r, runner, &tiles[t], out);
    fprintf(out, "};\n\n");
    return status;
}

static void put_bits(const hn_repro *r, const hn_runner *runner, FILE *out)
{
    size_t bytes = 0;
    hn_group_outputs(runner, r->variant, &bytes);
    fprintf(out, "static const unsigned char bits[] = {");
    for (size_t b = 0; b < bytes; b++)
        fprintf(out, "%s0x%02x,", b % 16 ? " " : "\n    ", r->bits[b]);
    fprintf(out, "\n};\n\n");
}

static const char invoke[] = "invoke(fn, &args)";

/* `how`: the statement that calls. */
static void put_call(const hn_case *c, const hn_runner *runner, const char *name, size_t alias,
                     const char *how, FILE *out)
{
    size_t ld[HN_MAX_OPERANDS] = { 0 };
    for (size_t i = 0; i < c->op->family->noperands; i++) ld[i] = operand_of(runner, i)->ld;
    if (alias) ld[alias] = ld[0];
    fprintf(out, "static void %s(ck_fn *fn, void *const *at)\n{\n", name);
    c->op->family->emit_args(c, ld, out);
    fprintf(out, "    %s;\n}\n\n", how);
}

/* The other ways to call: a step of the batch by itself, the output in place of an input. */
static void put_other_calls(const hn_repro *r, const hn_runner *runner, FILE *out)
{
    const hn_family *family = r->c->op->family;
    const hn_variant *v = &r->plan->variants[r->variant];
    const ck_numspec *num = v->kernel->spec;
    const hn_placed *y = operand_of(runner, 0);
    const int key = family->batch_key;
    char table[1024] = "", name[48];
    size_t used = 0;
    if (key >= 0 && r->c->num[key] > 1 && (v->strict || num->flags & CK_NUM_BATCH_INVARIANT)) {
        hn_case one = *r->c;
        one.num[key] = 1;
        put_call(&one, runner, "call_step", 0, invoke, out);
        used += (size_t)snprintf(table, sizeof table, "    { call_step, %lld, 0 },\n",
                                 (long long)r->c->num[key]);
    }
    for (size_t k = 1; k < family->noperands; k++) {
        const hn_placed *p = operand_of(runner, k);
        if (!(num->alias >> k & 1) || !p->at || p->rows != y->rows || p->cols > y->cols) continue;
        snprintf(name, sizeof name, "call_in_place_%zu", k);
        put_call(r->c, runner, name, k, invoke, out);
        used +=
            (size_t)snprintf(table + used, sizeof table - used, "    { %s, 0, %zu },\n", name, k);
    }
    if (r->c->threads > 1 && v->kernel->threads) {
        char how[80];
        snprintf(how, sizeof how, "self->threads(fn, self->spec, &args, %u)", r->c->threads);
        put_call(r->c, runner, "call_threads", 0, how, out);
        used +=
            (size_t)snprintf(table + used, sizeof table - used, "    { call_threads, 0, 0 },\n");
    }
    fprintf(
        out,
        "/* other calls that must give the same: steps of the batch, the operand that the output "
        "is, or\n * neither: all of it, in threads */\n"
        "static const struct {\n    caller *call;\n    size_t steps, alias;\n} others[] = {\n"
        "%s    { NULL, 0, 0 },\n};\n\n",
        table);
}

int hn_emit(const hn_repro *r, hn_runner *runner, FILE *out, char *error, size_t size)
{
    const char *part = part_of_check(r->result);
    size_t bytes = 0;
    if (!part)
        return snprintf(error, size, "check \"%s\" cannot be shown in C: %s",
                        hn_check_names[r->result->check], r->result->what),
               -1;
    for (size_t i = 0; i < r->c->op->family->noperands; i++) {
        const hn_placed *p = operand_of(runner, i);
        bytes += p->at ? p->rows * p->cols * p->unit : 0;
    }
    if (count_cells(r, runner) > CELLS_MAX || bytes > BYTES_MAX)
        return snprintf(error, size, "too much data for a C file: ckparity shrink it first"), -1;
    put_head(r, out);
    put_part("types", out);
    put_constants(r, out);
    put_operands(r, runner, out);
    if (strcmp(part, "values") == 0 && put_cells(r, runner, out) != 0)
        return snprintf(error, size, "out of memory"), -1;
    if (strcmp(part, "bits") == 0) put_bits(r, runner, out);
    put_part("machine", out);
    put_part(r->result->check == HN_CHECK_ABI    ? "invoke_abi"
             : r->result->check == HN_CHECK_JUNK ? "invoke_junk"
                                                 : "invoke",
             out);
    put_call(r->c, runner, "call_whole", 0, invoke, out);
    if (strcmp(part, "calls") == 0) put_other_calls(r, runner, out);
    put_part(part, out);
    put_part("find", out);
    return ferror(out) ? (snprintf(error, size, "cannot write"), -1) : 0;
}
