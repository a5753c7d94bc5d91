/* SPDX-License-Identifier: MIT */
/* Commands about one case. */
#include "tools.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "emit.h"
#include "isolate.h"
#include "report.h"
#include "runtime/runtime.h"
#include "shrink.h"
#include "subject.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_INPUT = 2, EXIT_ALL_SKIPPED = 77 };
enum { PATH_BYTES = 4096 };
static const double shrink_seconds = 20.0;

/* A case and the kernels that it is run on. */
typedef struct bench {
    hn_case c;
    hn_plan plan;
    hn_result results[HN_MAX_VARIANTS];
} bench;

static int bad_input(const char *format, const char *a, const char *b)
{
    fputs("ckparity: ", stderr);
    fprintf(stderr, format, a, b);
    fputc('\n', stderr);
    return EXIT_INPUT;
}

static bool admits(const hn_case *c, const hn_variant *v)
{
    if (c->isa[0] && strcmp(c->isa, v->kernel->isa) != 0) return false;
    return c->mode == HN_BOTH || (c->mode == HN_STRICT) == v->strict;
}

/* Kernels of the case's op, both modes, as `run` has them. */
static int add_kernels(bench *b, const ck_subject *subject)
{
    const bool runtime = b->c.op == hn_op_runtime;
    size_t count;
    const ck_kernel *const runtimes = hn_rt_kernels(&count);
    if (!runtime) count = subject->count;
    const char *lacking = NULL;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const ck_kernel *k = runtime ? &runtimes[i] : &subject->kernels[i];
        if (strcmp(k->stem, b->c.op->stem) != 0) continue;
        if (k->unavailable && (!b->c.isa[0] || strcmp(b->c.isa, k->isa) == 0))
            lacking = k->unavailable;
        if (k->unavailable) continue;
        if (b->plan.nvariants + 2 > HN_MAX_VARIANTS)
            return bad_input("%s: too many variants", b->c.op->stem, "");
        hn_plan_add(&b->plan, k, false, 0);
        if (k->fn_strict) hn_plan_add(&b->plan, k, true, 0);
    }
    for (size_t i = 0; i < b->plan.nvariants; i++) any |= admits(&b->c, &b->plan.variants[i]);
    if (any) return EXIT_OK;
    if (!lacking)
        return bad_input("%s: no kernel of %s takes this case", subject->name, b->c.op->stem);
    printf("SKIP %s: %s\n", b->c.op->stem, lacking);
    return EXIT_ALL_SKIPPED;
}

/* NULL: *status is the exit code. */
static bench *open_case(const hn_tool *tool, int *status)
{
    static bench b;
    char error[768];
    memset(&b, 0, sizeof b);
    if (hn_case_parse(&b.c, tool->line, error, sizeof error) != 0) {
        *status = bad_input("case '%s': %s", tool->line, error);
        return NULL;
    }
    const ck_subject *subject = hn_subject_open(tool->subject, error, sizeof error);
    if (!subject) {
        *status = bad_input("%s%s", error, "");
        return NULL;
    }
    if (b.c.op->family->run && !tool->runtimes) {
        *status = bad_input("case '%s': %s", tool->line,
                            "a runtime is for run, shrink, digest and trace alone");
        return NULL;
    }
    b.plan.op = b.c.op;
    *status = add_kernels(&b, subject);
    return *status == EXIT_OK ? &b : NULL;
}

static bool is_bad(const hn_result *r)
{
    return (r->verdict >= HN_FAIL && r->verdict <= HN_HANG) || r->verdict == HN_STALE;
}

/* The first variant that fails, else the first that ran, else the first that the case admits. */
static size_t pick_variant(const bench *b)
{
    size_t pick = b->plan.nvariants;
    for (size_t i = 0; i < b->plan.nvariants; i++)
        if (is_bad(&b->results[i])) return i;
    for (size_t i = b->plan.nvariants; i-- > 0;)
        if (admits(&b->c, &b->plan.variants[i]) &&
            (pick == b->plan.nvariants || b->results[i].verdict != HN_SKIP))
            pick = i;
    return pick;
}

/* The case on one variant only; bits that differ between variants need all of them. */
static void narrow(bench *b, size_t i)
{
    if (b->results[i].check != HN_CHECK_STRICT)
        snprintf(b->c.isa, sizeof b->c.isa, "%s", b->plan.variants[i].kernel->isa);
    b->c.mode = b->plan.variants[i].strict ? HN_STRICT : HN_FAST;
}

/* --- explain */

static const hn_placed *operand_of(const hn_runner *runner, size_t i)
{
    const size_t *live;
    return hn_group_operand(runner, i, &live);
}

static void print_operands(const hn_runner *runner, const hn_case *c)
{
    static const char *const edges[] = { "end at a page", "start at a page", "middle" };
    const hn_family *family = c->op->family;
    printf("%-8s %-5s %16s %8s  %-16s %s\n", "operand", "dtype", "rows x cols", "ld", "placed",
           "address mod 64");
    for (size_t i = 0; i < family->noperands; i++) {
        const hn_placed *p = operand_of(runner, i);
        char shape[48];
        if (!p->at) continue;
        snprintf(shape, sizeof shape, "%zu x %zu", p->rows, p->cols);
        printf("%-8s %-5s %16s %8zu  %-16s %u\n", family->operands[i].name,
               hn_dtypes[hn_operand_dtype(c->op, i)].name, shape, p->ld, edges[c->at[i].edge],
               (unsigned)((uintptr_t)p->at % 64));
    }
}

static void print_order(const ck_numspec *num, bool strict)
{
    if (strict) {
        printf("  order   strict: every operation in double, in the order of docs/strict.md\n");
        return;
    }
    printf("  order   ");
    if (num->lanes == 0)
        printf("none promised: terms may be added in any");
    else if (num->lanes == 1 && num->accs == 1)
        printf("one ascending chain (lanes 1, accs 1)");
    else
        printf("lanes %u, accs %u: %u partial sums, %u terms a step; the rest %s; sums added %s",
               num->lanes, num->accs, num->lanes * num->accs, num->lanes * num->accs,
               num->tail == CK_TAIL_LANE ? "into the lanes" : "one by one",
               num->tree == CK_TREE_HALVING ? "by halves" : "one after the other");
    if (num->kc) printf("; in chunks of %u terms", num->kc);
    printf("; %s\n", num->flags & CK_NUM_MULADD ? "products rounded first" : "FMA");
}

static void print_flags(const ck_numspec *num)
{
    static const char *const names[] = {
        "products rounded first", "true division",   "true square root", "minimums apart",
        "one-pass variance",      "online",          "LSE form",         "may flush results",
        "may flush operands",     "batch invariant", "thread invariant", "either code at a tie"
    };
    const char *lead = "  also    ";
    for (unsigned f = 1; f < sizeof names / sizeof names[0]; f++) {
        if (!(num->flags >> f & 1)) continue;
        printf("%s%s", lead, names[f]);
        lead = ", ";
    }
    if (num->rexp > 0) {
        printf("%sexp within %.9g u, 0 below %.9g", lead, num->rexp, num->exp_zero_below);
        lead = ", ";
    }
    if (lead[0] == ',') printf("\n");
}

/* The output to speak of: the first that is wrong, else the one nearest to its radius. */
typedef struct spot {
    hn_tile tile;
    size_t cell;
    double got, ratio; /* NaN: wrong */
    double v, e, term;
} spot;

static double got_of(const hn_runner *runner, size_t variant, const hn_tile *tile, size_t cell)
{
    const hn_output y = hn_group_output(runner, variant, tile->operand);
    const ref_tile *part = &tile->part;
    const size_t unit = cell / y.info->parts;
    const size_t row = part->r0 + unit / part->cols, col = part->c0 + unit % part->cols;
    return hn_output_part(&y, y.bytes + (row * y.cols + col) * y.info->bytes, cell % y.info->parts);
}

/* Balls of a tile; NULL: out of memory. The caller frees out->v. */
static double *balls_of(hn_runner *runner, const hn_case *c, const hn_tile *tile,
                        const ref_spec *spec, ref_out *out)
{
    const size_t n = hn_tile_cells(c->op, tile);
    double *cells = malloc(3 * n * sizeof *cells);
    if (!cells) return NULL;
    *out = (ref_out){ .n = n, .v = cells, .term = cells + n, .e = cells + 2 * n };
    hn_group_balls(runner, tile, spec, out);
    return cells;
}

static void search_tile(hn_runner *runner, const hn_case *c, size_t variant, const hn_tile *tile,
                        spot *s)
{
    const ref_spec spec = hn_group_spec(runner, variant);
    const bool signed_zero = c->op->family->flags & HN_SIGNED_ZERO;
    ref_out out;
    double *cells = balls_of(runner, c, tile, &spec, &out);
    for (size_t i = 0; cells && i < out.n && !isnan(s->ratio); i++) {
        const double got = got_of(runner, variant, tile, i);
        const double ratio = hn_judge(got, out.v[i], out.e[i], signed_zero);
        if (!isnan(ratio) && ratio <= s->ratio) continue;
        *s = (spot){ *tile, i, got, ratio, out.v[i], out.e[i], out.term[i] };
    }
    free(cells);
}

static void print_radius(hn_runner *runner, const hn_case *c, size_t variant, const spot *s)
{
    ref_spec any = hn_group_spec(runner, variant);
    ck_numspec num = *any.num;
    ref_out out;
    printf("  radius  %.6g (%a)", s->e, s->e);
    if (s->e > 0) printf(", error/radius %.4g", fabs(s->got - s->v) / s->e);
    printf("\n");
    if (any.strict || num.lanes == 0 || s->e == REF_ANY) return;
    num.lanes = 0;
    any.num = &num;
    double *cells = balls_of(runner, c, &s->tile, &any, &out);
    if (cells && out.e[s->cell] == s->e)
        printf("          any order would have the same\n");
    else if (cells)
        printf("          any order would have %.6g: the declared order's is %s\n", out.e[s->cell],
               s->e < out.e[s->cell] ? "smaller" : "larger");
    free(cells);
}

static void print_spot(hn_runner *runner, const hn_case *c, size_t variant)
{
    const hn_tile *tiles;
    const size_t ntiles = hn_group_tiles(runner, &tiles);
    spot s = { .ratio = -1.0 };
    for (size_t t = 0; t < ntiles; t++) search_tile(runner, c, variant, &tiles[t], &s);
    if (s.ratio == -1.0) return;
    const hn_output y = hn_group_output(runner, variant, s.tile.operand);
    const ref_tile *part = &s.tile.part;
    const size_t unit = s.cell / y.info->parts;
    printf("  output  %s[%zu,%zu]%s, %s\n", y.name, part->r0 + unit / part->cols,
           part->c0 + unit % part->cols, hn_part_name(y.info, s.cell % y.info->parts),
           isnan(s.ratio) ? "the first that is wrong" : "the nearest to its radius");
    printf("  got     %.9g (%a)\n  wanted  %.9g (%a)\n", s.got, s.got, s.v, s.v);
    print_radius(runner, c, variant, &s);
    if (s.e == REF_ANY || !isfinite(s.v)) return;
    printf("  term    %.4g on the average", s.term);
    if (s.e == 0)
        printf("; any fault would have been seen\n");
    else if (s.term > 0)
        printf("; a fault of %.3g of one would have been seen\n", s.e / s.term);
    else
        printf("\n");
}

static void print_head(const hn_variant *v, const hn_result *r)
{
    printf("\n%s %s_%s %s", hn_verdict_names[r->verdict], v->kernel->stem, v->kernel->isa,
           v->strict ? "strict" : "fast");
    if (r->check != HN_CHECK_NONE) printf(": %s", hn_check_names[r->check]);
    printf("%s%s\n", r->what[0] ? ": " : "", r->what);
}

static void print_variant(hn_runner *runner, const hn_case *c, const hn_plan *plan, size_t i,
                          const hn_result *r)
{
    const hn_variant *v = &plan->variants[i];
    const char *hint = r->cause[0] ? r->cause : hn_report_hint(r->check);
    print_head(v, r);
    if (r->verdict == HN_SKIP || r->verdict == HN_STALE) return;
    if (r->pattern[0]) printf("  pattern %s\n", r->pattern);
    if (r->verdict != HN_OK && hint) printf("  cause?  %s\n", hint);
    print_order(v->kernel->spec, v->strict);
    if (!v->strict) print_flags(v->kernel->spec);
    if (r->verdict != HN_CRASH && r->verdict != HN_HANG) print_spot(runner, c, i);
}

static void explain(void *context, hn_runner *runner, const hn_plan *plan, const hn_case *c,
                    hn_result *results)
{
    (void)context;
    hn_runner_explain(runner);
    hn_group_run(runner, plan, c, results);
    print_operands(runner, c);
    for (size_t i = 0; i < plan->nvariants; i++)
        if (admits(c, &plan->variants[i])) print_variant(runner, c, plan, i, &results[i]);
}

int hn_tool_explain(const hn_tool *tool)
{
    int status;
    bench *b = open_case(tool, &status);
    char line[HN_LINE_MAX];
    bool bad = false, stale = false;
    if (!b) return status;
    if (tool->dump && (status = hn_tool_dump(tool)) != EXIT_OK) return status;
    hn_case_print(&b->c, line, sizeof line);
    printf("case    %s\n", line);
    hn_isolate(explain, NULL, &b->plan, &b->c, 0, b->results);
    for (size_t i = 0; i < b->plan.nvariants; i++) {
        const hn_result *r = &b->results[i];
        /* the child was not there to tell */
        if (strncmp(r->what, "the process ", 12) == 0 && r->verdict != HN_SKIP)
            print_head(&b->plan.variants[i], r);
        bad |= is_bad(r);
        stale |= r->verdict == HN_STALE;
    }
    return stale ? EXIT_INPUT : bad ? EXIT_FAILED : EXIT_OK;
}

/* --- shrink */

int hn_tool_shrink(const hn_tool *tool)
{
    int status;
    bench *b = open_case(tool, &status);
    char line[HN_LINE_MAX];
    if (!b) return status;
    hn_isolate(hn_isolated_run, NULL, &b->plan, &b->c, 0, b->results);
    const size_t i = pick_variant(b);
    const hn_result like = b->results[i];
    if (!is_bad(&like) || like.verdict == HN_STALE) {
        fprintf(stderr, "ckparity: the case does not fail: %s %s\n", hn_verdict_names[like.verdict],
                like.what);
        return like.verdict == HN_STALE ? EXIT_INPUT : EXIT_FAILED;
    }
    narrow(b, i);
    const unsigned runs = hn_shrink_case(&b->plan, i, &like, shrink_seconds, &b->c);
    if (runs == 0) {
        fprintf(stderr, "ckparity: it fails (%s), but not every time\n", like.what);
        return EXIT_FAILED;
    }
    hn_case_print(&b->c, line, sizeof line);
    printf("%s\n", line);
    fprintf(stderr, "%s %s, %u candidates\n", hn_verdict_names[like.verdict],
            hn_check_names[like.check], runs);
    return EXIT_OK;
}

/* --- emit-c */

/* The top of the tree: a folder at or above the working one or the program's that has the headers. */
static int find_root(char *root, size_t size)
{
    static const char mark[] = "kernels/include/ck/ck_subject.h";
    for (int from = 0; from < 2; from++) {
        char path[PATH_BYTES + sizeof mark + 1];
        const ssize_t length = from == 0 ? (getcwd(root, size) ? (ssize_t)strlen(root) : -1)
                                         : readlink("/proc/self/exe", root, size - 1);
        if (length < 0) continue;
        root[length] = '\0';
        for (char *slash = root + length; slash; slash = strrchr(root, '/')) {
            *slash = '\0';
            snprintf(path, sizeof path, "%s/%s", root, mark);
            if (access(path, R_OK) == 0) return 0;
        }
    }
    return -1;
}

/* A path below the working folder without what they share. */
static const char *relative(const char *path)
{
    char here[PATH_BYTES];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length == 0 || strncmp(path, here, length) != 0) return path;
    return path[length] == '/' ? path + length + 1 : path[length] == '\0' ? "." : path;
}

/* How to link with the library that the kernels are in. */
static int library_flags(const char *subject, char *flags, size_t size)
{
    char self[PATH_BYTES];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int used;
    if (length < 0) return -1;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    const char *folder = relative(self);
    if (!subject)
        used = snprintf(flags, size, "-L %s -lck -Wl,-rpath,%s", folder, folder);
    else if (strchr(subject, '/'))
        used = snprintf(flags, size, "%s -Wl,-rpath,%.*s", subject,
                        (int)(strrchr(subject, '/') - subject), subject);
    else
        used = snprintf(flags, size, "%s/libckparity_%s.so -Wl,-rpath,%s", folder, subject, folder);
    return used < (int)size ? 0 : -1;
}

static int build_command(const hn_tool *tool, char *command, size_t size)
{
    char root[PATH_BYTES], flags[3 * PATH_BYTES], base[PATH_BYTES];
    const char *out = tool->out ? tool->out : "repro.c", *top = root;
    if (find_root(root, sizeof root) != 0 || library_flags(tool->subject, flags, sizeof flags) != 0)
        return -1;
    snprintf(base, sizeof base, "%s", out);
    if (strlen(base) > 2 && strcmp(base + strlen(base) - 2, ".c") == 0)
        base[strlen(base) - 2] = '\0';
    else
        strncat(base, ".out", sizeof base - strlen(base) - 1);
    top = relative(root);
    const int used = snprintf(
        command, size,
        "gcc -std=c11 -O1 -ffp-contract=off -I %s%skernels/include/ck %s %s -lm -o %s && %s%s",
        strcmp(top, ".") == 0 ? "" : top, strcmp(top, ".") == 0 ? "" : "/", out, flags, base,
        strchr(base, '/') ? "" : "./", base);
    return used < (int)size ? 0 : -1;
}

/* Strict bits of the first variant that is right, by running it again; to be freed. */
static unsigned char *agreed_bits(const bench *b, hn_runner *runner)
{
    static hn_result results[HN_MAX_VARIANTS];
    for (size_t i = 0; i < b->plan.nvariants; i++) {
        hn_plan one = { .op = b->plan.op };
        size_t bytes;
        if (!b->plan.variants[i].strict || is_bad(&b->results[i])) continue;
        hn_plan_add(&one, b->plan.variants[i].kernel, true, 0);
        hn_call_init();
        hn_group_run(runner, &one, &b->c, results);
        const unsigned char *bits = hn_group_outputs(runner, 0, &bytes);
        unsigned char *copy = malloc(bytes + 1);
        if (copy) memcpy(copy, bits, bytes);
        return copy;
    }
    return NULL;
}

static int write_repro(const hn_tool *tool, bench *b, size_t i, hn_runner *runner)
{
    char error[256] = "", build[4 * PATH_BYTES], origin[2 * PATH_BYTES], line[HN_LINE_MAX];
    hn_case_print(&b->c, line, sizeof line);
    snprintf(origin, sizeof origin, "ckparity emit-c '%s'%s%s", line,
             tool->subject ? " --subject " : "", tool->subject ? tool->subject : "");
    if (build_command(tool, build, sizeof build) != 0)
        return bad_input("emit-c: the tree with kernels/include/ck is not found%s%s", "", "");
    const bool strict = b->results[i].check == HN_CHECK_STRICT;
    unsigned char *bits = strict ? agreed_bits(b, runner) : NULL;
    if (strict && !bits)
        return bad_input("%s%s", "no variant has the strict bits to compare with", "");
    if (hn_group_prepare(runner, &b->plan, &b->c, error, sizeof error) != 0)
        return bad_input("%s%s", error, "");
    const hn_repro repro = { &b->plan, &b->c, i, &b->results[i], bits, origin, build };
    FILE *out = tool->out ? fopen(tool->out, "w") : stdout;
    if (!out) return bad_input("%s: %s", tool->out, strerror(errno));
    int bad = hn_emit(&repro, runner, out, error, sizeof error);
    if (tool->out && fclose(out) != 0 && bad == 0)
        bad = snprintf(error, sizeof error, "%s: %s", tool->out, strerror(errno));
    free(bits);
    if (bad != 0 && tool->out) remove(tool->out);
    if (bad != 0) return bad_input("emit-c: %s%s", error, "");
    if (tool->out) printf("%s\n", build);
    return EXIT_OK;
}

int hn_tool_emit(const hn_tool *tool)
{
    int status;
    bench *b = open_case(tool, &status);
    if (!b) return status;
    hn_isolate(hn_isolated_run, NULL, &b->plan, &b->c, 0, b->results);
    const size_t i = pick_variant(b);
    const hn_result *r = &b->results[i];
    if (r->verdict == HN_SKIP || r->verdict == HN_STALE)
        return bad_input("emit-c: %s: %s", hn_verdict_names[r->verdict], r->what);
    narrow(b, i);
    hn_runner *runner = hn_runner_new();
    status = write_repro(tool, b, i, runner);
    hn_runner_free(runner);
    return status;
}

/* --- gdb and call */

int hn_tool_call(const hn_tool *tool)
{
    int status;
    bench *b = open_case(tool, &status);
    char error[256];
    hn_outcome outcome;
    if (!b) return status;
    const hn_variant *v = &b->plan.variants[pick_variant(b)];
    hn_runner *runner = hn_runner_new();
    if (hn_group_prepare(runner, &b->plan, &b->c, error, sizeof error) != 0)
        return bad_input("call: %s%s", error, "");
    printf("calling %s_%s %s\n", v->kernel->stem, v->kernel->isa, v->strict ? "strict" : "fast");
    fflush(stdout);
    hn_call_disarm();
    hn_group_call(runner, v, &outcome);
    printf("it returned\n");
    hn_runner_free(runner);
    return EXIT_OK;
}

/* The kernel is known only at run time; the trampoline has it in rdi. */
int hn_tool_gdb(const hn_tool *tool)
{
    int status;
    char self[PATH_BYTES];
    bench *b = open_case(tool, &status);
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!b) return status;
    if (length < 0) return bad_input("gdb: /proc/self/exe: %s%s", strerror(errno), "");
    self[length] = '\0';
    const char *const command[] = { "gdb",
                                    "-q",
                                    "-ex",
                                    "tbreak hn_call_asm",
                                    "-ex",
                                    "run",
                                    "-ex",
                                    "break *$rdi",
                                    "-ex",
                                    "continue",
                                    "--args",
                                    self,
                                    "call",
                                    tool->line,
                                    tool->subject ? "--subject" : NULL,
                                    tool->subject,
                                    NULL };
    char *arguments[sizeof command / sizeof command[0]];
    memcpy(arguments, command, sizeof command);
    fflush(NULL);
    execvp("gdb", arguments);
    return bad_input("gdb: %s%s", errno == ENOENT ? "it is not installed" : strerror(errno), "");
}

/* --- captured operands */

int hn_tool_dump(const hn_tool *tool)
{
    int status;
    bench *b = open_case(tool, &status);
    uint64_t hash = HN_HASH_START;
    char error[HN_WHAT_MAX], line[HN_LINE_MAX];
    if (!b) return status;
    if (strlen(tool->dump) >= HN_FILE_MAX || strpbrk(tool->dump, " \t#"))
        return bad_input("--dump-operands %s: a blank, a # or too long%s", tool->dump, "");
    hn_runner *runner = hn_runner_new();
    int bad = hn_group_prepare(runner, &b->plan, &b->c, error, sizeof error);
    for (size_t i = 0; i < b->c.op->family->noperands && !bad; i++) {
        const size_t *live;
        if (hn_is_output(b->c.op, i)) continue;
        const hn_placed *p = hn_group_operand(runner, i, &live);
        const hn_operand *o = &b->c.op->family->operands[i];
        bad = hn_capture_write(tool->dump, &b->c, i, p, live, error, sizeof error);
        hash = hn_capture_hash(hash, p, live);
        if (!bad && hn_capture_bytes(p, live))
            printf("dumped  %s/%s.%s.bin, %zu bytes\n", tool->dump, o->name,
                   hn_dtypes[hn_operand_dtype(b->c.op, i)].name, hn_capture_bytes(p, live));
    }
    hn_runner_free(runner);
    if (bad) return bad_input("--dump-operands %s%s", error, "");
    b->c.fill = HN_FILL_FILE;
    b->c.file_hash = hash;
    b->c.seed = 0;
    strcpy(b->c.file, tool->dump);
    hn_case_print(&b->c, line, sizeof line);
    printf("replay  ckparity run '%s'\n", line);
    return EXIT_OK;
}

/* --- editors */

/* The op of a stem is the folder of its kernels. */
static const char *folder_of(const char *stem)
{
    static const struct {
        const char *stem, *op;
    } ops[] = {
#define CK_KERNEL(fam, op, dt, isa)
#define CK_OP(fam, op, dt) { #op "_" #dt, #op },
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
    };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(ops[i].stem, stem) == 0) return ops[i].op;
    return "";
}

/* The line that defines the row's function; 1 if there is no such file or line. */
static unsigned definition(const char *file, const hn_row *row)
{
    char root[PATH_BYTES], path[2 * PATH_BYTES], text[512], name[128];
    unsigned number = 0;
    if (find_root(root, sizeof root) != 0) return 1;
    snprintf(path, sizeof path, "%s/%s", root, file);
    snprintf(name, sizeof name, "void ck_%s%s(", row->name, row->strict ? "_strict" : "");
    FILE *in = fopen(path, "r");
    if (!in) return 1;
    bool seen = false;
    while (!seen && fgets(text, sizeof text, in)) {
        number += strchr(text, '\n') != NULL;
        seen = strncmp(text, name, strlen(name)) == 0;
    }
    fclose(in);
    return seen ? number : 1;
}

void hn_tool_editor(const hn_run *run, const char *subject)
{
    for (size_t i = 0; i < run->nfailures; i++) {
        const hn_failure *f = &run->failures[i];
        const hn_row *row = &run->rows[f->row];
        char file[256];
        if (f->expected) continue;
        snprintf(file, sizeof file, "kernels/%s/%s.c", folder_of(row->op->stem), row->name);
        if (subject)
            printf("%s:1", subject);
        else
            printf("%s:%u", file, definition(file, row));
        printf(": error: %s: %s [%s]\n", hn_check_names[f->result.check], f->result.what,
               f->shrunk[0] ? f->shrunk : f->line);
    }
}
