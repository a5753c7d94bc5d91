/* SPDX-License-Identifier: MIT */
/* Tests of placement, patterns and fills. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ck_dtype.h"
#include "fill.h"
#include "tests.h"

enum { LEAST_GUARD = 1 << 15, BYTES_MAX = 2048 };

/* Whether reading a byte kills. */
static bool unmapped(const unsigned char *at)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(*(const volatile unsigned char *)at == 0 ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static const hn_place places[] = {
    { HN_END, 0 },    { HN_START, 0 },   { HN_MIDDLE, 0 },    { HN_MIDDLE, 1 },
    { HN_MIDDLE, 7 }, { HN_MIDDLE, 63 }, { HN_MIDDLE, 4095 },
};

static void operand_lies_as_asked(void **state)
{
    static const hn_extent extents[] = { { 1, 1, 0 }, { 3, 5, 0 }, { 7, 300, 0 }, { 2, 5000, 0 } };
    hn_slot slot = { 0 };
    (void)state;
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (size_t x = 0; x < 4; x++)
            for (int d = HN_F32; d < HN_DTYPE_COUNT; d++) {
                const hn_dtype_info *info = &hn_dtypes[d];
                const size_t ld = extents[x].cols + x;
                const size_t span = ((extents[x].rows - 1) * ld + extents[x].cols) * info->bytes;
                hn_placed at;
                assert_int_equal(hn_place_operand(&slot, &extents[x], ld, info, places[p], &at), 0);
                assert_int_equal(at.rows, extents[x].rows);
                assert_int_equal(at.ld, ld);
                assert_true(at.lo <= at.at && at.at + span <= at.hi);
                if (places[p].edge == HN_END) {
                    assert_ptr_equal(at.at + span, at.hi);
                    assert_int_equal((uintptr_t)at.hi % 4096, 0);
                    assert_int_equal(hn_guard_side(&slot, at.hi), 1);
                    assert_int_equal(hn_guard_side(&slot, at.hi + LEAST_GUARD), 1);
                    assert_int_equal(hn_guard_side(&slot, at.hi - 1), 0);
                } else if (places[p].edge == HN_START) {
                    assert_ptr_equal(at.at, at.lo);
                    assert_int_equal((uintptr_t)at.lo % 4096, 0);
                    assert_int_equal(hn_guard_side(&slot, at.lo - 1), -1);
                    assert_int_equal(hn_guard_side(&slot, at.lo - LEAST_GUARD), -1);
                    assert_int_equal(hn_guard_side(&slot, at.lo), 0);
                } else {
                    assert_int_equal(((uintptr_t)at.at - places[p].offset * info->align) % 64, 0);
                    assert_int_equal(at.at - at.lo, HN_MARGIN);
                    assert_int_equal(at.hi - at.at, span + HN_MARGIN);
                }
            }
    hn_slot_free(&slot);
}

static void guard_pages_are_unmapped(void **state)
{
    const hn_extent extent = { 3, 41, 0 };
    const size_t span = (2 * 44 + 41) * 4;
    hn_slot slot = { 0 };
    hn_placed at;
    (void)state;
    hn_place_operand(&slot, &extent, 44, &hn_dtypes[HN_F32], (hn_place){ HN_END, 0 }, &at);
    assert_true(unmapped(at.at + span));
    assert_true(unmapped(at.at + span + LEAST_GUARD));
    assert_false(unmapped(at.at + span - 1));
    hn_place_operand(&slot, &extent, 44, &hn_dtypes[HN_F32], (hn_place){ HN_START, 0 }, &at);
    assert_true(unmapped(at.at - 1));
    assert_true(unmapped(at.at - LEAST_GUARD));
    assert_false(unmapped(at.at));
    hn_slot_free(&slot);
}

/* Beside each row its margin, which is painted and saved; nothing else between lo and hi is mapped. */
static void rows_far_apart_have_nothing_between(void **state)
{
    const hn_extent extent = { 3, 41, 0 };
    const size_t stride = ((size_t)1 << 33) + 4, bytes = 41 * 4;
    (void)state;
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        hn_slot slot = { 0 };
        hn_placed at;
        assert_int_equal(
            hn_place_operand(&slot, &extent, stride / 4, &hn_dtypes[HN_F32], places[p], &at), 0);
        hn_paint_slack(&at, NULL, HN_CANARY);
        unsigned char *const saved = malloc(hn_placed_bytes(&at));
        hn_placed_save(&at, saved);
        assert_null(hn_find_overwrite(&at, NULL));
        for (size_t row = 0; row < 3; row++) {
            unsigned char *const from = at.at + row * stride, *const end = from + bytes;
            unsigned char *const beside = row < 2 ? end + HN_MARGIN - 1 : from - HN_MARGIN;
            assert_false(unmapped(from));
            assert_false(unmapped(end - 1));
            if (row > 0) assert_true(unmapped(from - 2 * 4096));
            if (row < 2) assert_true(unmapped(end + 2 * 4096));
            if (row < 2) assert_int_equal(hn_guard_side(&slot, end + 2 * 4096), 1);
            *beside ^= 1;
            assert_ptr_equal(hn_find_overwrite(&at, NULL), beside);
            assert_false(hn_placed_same(&at, saved));
            *beside ^= 1;
            assert_true(hn_placed_same(&at, saved));
            end[-1] ^= 1;
            assert_null(hn_find_overwrite(&at, NULL));
            assert_false(hn_placed_same(&at, saved));
            end[-1] ^= 1;
        }
        free(saved);
        hn_slot_free(&slot);
    }
}

static void operand_not_passed_is_null(void **state)
{
    hn_slot slot = { 0 };
    hn_placed at;
    (void)state;
    assert_int_equal(
        hn_place_operand(&slot, &(hn_extent){ 0 }, 3, &hn_dtypes[HN_F32], places[0], &at), 0);
    assert_null(at.at);
    hn_slot_free(&slot);
}

/* Whether a byte of [lo, hi) belongs to a row. */
static bool inside(const hn_placed *p, const unsigned char *byte)
{
    const size_t stride = p->ld * p->unit;
    if (byte < p->at) return false;
    const size_t offset = (size_t)(byte - p->at);
    return offset / stride < p->rows && offset % stride < p->cols * p->unit;
}

static void every_overwrite_is_found(void **state)
{
    const hn_extent extent = { 3, 5, 0 };
    (void)state;
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (int d = HN_F32; d < HN_DTYPE_COUNT; d++)
            for (size_t ld = 5; ld < 8; ld += 2) {
                hn_slot slot = { 0 };
                hn_placed at;
                hn_place_operand(&slot, &extent, ld, &hn_dtypes[d], places[p], &at);
                hn_paint_slack(&at, NULL, HN_CANARY);
                assert_null(hn_find_overwrite(&at, NULL));
                for (unsigned char *byte = at.lo; byte < at.hi; byte++) {
                    *byte ^= 1;
                    const unsigned char *found = hn_find_overwrite(&at, NULL);
                    if (inside(&at, byte))
                        assert_null(found);
                    else
                        assert_ptr_equal(found, byte);
                    *byte ^= 1;
                }
                hn_slot_free(&slot);
            }
}

/* Painting leaves the live units alone and reaches everything else. */
static void slack_is_all_but_live(void **state)
{
    const hn_extent extent = { 4, 6, 0 };
    const size_t live[] = { 6, 0, 3, 1 };
    hn_slot slot = { 0 };
    hn_placed at;
    (void)state;
    hn_place_operand(&slot, &extent, 9, &hn_dtypes[HN_F32], (hn_place){ HN_MIDDLE, 5 }, &at);
    memset(at.lo, 0, (size_t)(at.hi - at.lo));
    hn_paint_slack(&at, live, HN_JUNK_B);
    for (const unsigned char *byte = at.lo; byte < at.hi; byte++) {
        const size_t offset = byte < at.at ? SIZE_MAX : (size_t)(byte - at.at);
        const bool lives = offset / 36 < 4 && offset % 36 < 4 * live[offset / 36 % 4];
        if (lives)
            assert_int_equal(*byte, 0);
        else
            assert_true(hn_painted(byte, 1, HN_JUNK_B));
    }
    hn_slot_free(&slot);
}

static void patterns_differ_everywhere(void **state)
{
    static unsigned char memory[HN_CANARY + 1][10000];
    float as[HN_CANARY + 1];
    (void)state;
    for (int p = 0; p <= HN_CANARY; p++) {
        hn_paint(memory[p], sizeof memory[p], (hn_pattern)p);
        assert_true(hn_painted(memory[p], sizeof memory[p], (hn_pattern)p));
        memcpy(&as[p], memory[p] + (-(uintptr_t)memory[p] & 3), sizeof as[p]);
    }
    /* what two passes are told apart by */
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            assert_int_not_equal(memory[HN_JUNK_A][i], memory[HN_JUNK_B][j]);
            assert_int_not_equal(memory[HN_PREFILL_A][i], memory[HN_PREFILL_B][j]);
            assert_int_not_equal(memory[HN_CANARY][i], memory[HN_PREFILL_A][j]);
            assert_int_not_equal(memory[HN_CANARY][i], memory[HN_PREFILL_B][j]);
        }
    assert_true(isnan(as[HN_JUNK_A]) && isnan(as[HN_PREFILL_A]) && isnan(as[HN_CANARY]));
    assert_true(as[HN_JUNK_B] > 1e38f && isfinite(as[HN_JUNK_B]));
    assert_true(isfinite(as[HN_PREFILL_B]) && as[HN_PREFILL_B] > 0.0f);
    for (size_t i = 0; i < sizeof memory[0]; i += 97) {
        memory[0][i] ^= 0x80;
        assert_false(hn_painted(memory[0], sizeof memory[0], HN_JUNK_A));
        memory[0][i] ^= 0x80;
    }
}

/* --- fills */

typedef struct data {
    hn_slot slots[HN_MAX_OPERANDS];
    hn_placed at[HN_MAX_OPERANDS];
    hn_extent extents[HN_MAX_OPERANDS];
    size_t ld[HN_MAX_OPERANDS];
} data;

static void fill(data *d, const hn_case *c)
{
    const hn_family *f = c->op->family;
    memset(d->extents, 0, sizeof d->extents);
    f->extents(c, d->extents);
    for (size_t i = 0; i < f->noperands; i++) {
        static size_t live[1 << 16];
        d->ld[i] = hn_ld(c, i, &d->extents[i]);
        hn_place_operand(&d->slots[i], &d->extents[i], d->ld[i],
                         &hn_dtypes[hn_operand_dtype(c->op, i)], c->at[i], &d->at[i]);
        assert_true(d->extents[i].rows <= sizeof live / sizeof *live);
        for (size_t r = 0; f->live && r < d->extents[i].rows; r++) live[r] = f->live(c, i, r);
        if (hn_is_output(c->op, i) || !d->at[i].at) continue;
        hn_paint_slack(&d->at[i], f->live ? live : NULL, HN_JUNK_B);
        hn_fill_operand(c, i, &d->at[i], f->live ? live : NULL);
    }
}

static void drop(data *d)
{
    for (size_t i = 0; i < HN_MAX_OPERANDS; i++) hn_slot_free(&d->slots[i]);
}

static void same_case_same_data(void **state)
{
    data first = { 0 }, second = { 0 };
    (void)state;
    for (uint32_t i = 0; i < 600; i++) {
        hn_case c;
        hn_case_init(&c, &hn_ops[i % hn_op_count]);
        c.seed = i;
        hn_case_draw(&c, 0);
        fill(&first, &c);
        c.isa[0] = 'x';
        fill(&second, &c);
        for (size_t k = 0; k < c.op->family->noperands; k++) {
            if (hn_is_output(c.op, k)) continue;
            const hn_placed *a = &first.at[k], *b = &second.at[k];
            assert_int_equal(a->at == NULL, b->at == NULL);
            const size_t row = a->cols * a->unit, stride = a->ld * a->unit;
            for (size_t r = 0; a->at && r < a->rows; r++)
                assert_memory_equal(a->at + r * stride, b->at + r * stride, row);
        }
    }
    drop(&first);
    drop(&second);
}

/* The largest radius of finite elements of one output. */
static double output_radius(const data *d, const hn_case *c, size_t output, const ref_spec *spec)
{
    const hn_dtype_info *info = &hn_dtypes[hn_operand_dtype(c->op, output)];
    double worst = 0.0;
    max_align_t args[HN_ARGS_MAX / sizeof(max_align_t) + 1];
    void *at[HN_MAX_OPERANDS] = { 0 };
    const ref_tile tile = { 0, d->extents[output].rows, 0, d->extents[output].cols };
    ref_out out = { .n = tile.rows * tile.cols * info->parts };
    out.v = calloc(out.n, sizeof(double));
    out.term = calloc(out.n, sizeof(double));
    out.e = calloc(out.n, sizeof(double));
    for (size_t i = 0; i < c->op->family->noperands; i++) at[i] = d->at[i].at;
    hn_ref_args(c, output, at, d->ld, args);
    c->op->ref(args, &tile, spec, 1, &out);
    for (size_t i = 0; i < out.n; i++)
        if (isfinite(out.v[i]) && out.e[i] != 0.0) worst = out.e[i] < 0.0 ? INFINITY : out.e[i];
    free(out.v);
    free(out.term);
    free(out.e);
    return worst;
}

/* Of all outputs of one case under a kernel's own spec. */
static double worst_radius(data *d, const hn_case *c, const ck_numspec *num)
{
    const ref_spec spec = { .num = num, .u = 0x1p-24 };
    double worst = 0.0;
    fill(d, c);
    for (size_t k = 0; k < c->op->family->noperands; k++) {
        if (!hn_is_output(c->op, k) || d->extents[k].rows == 0) continue;
        const double radius = output_radius(d, c, k, &spec);
        if (radius > worst) worst = radius;
    }
    return worst;
}

static void exact_fills_have_radius_zero(void **state)
{
    char line[HN_LINE_MAX];
    const ck_subject *subject = hn_test_subject();
    data d = { 0 };
    (void)state;
    for (unsigned k = 0; k < subject->count; k++)
        for (unsigned f = 0; f < HN_FILL_COUNT; f++) {
            const hn_op *op = hn_op_find(subject->kernels[k].stem);
            if (!((op->family->exact_fills & hn_op_fills(op)) >> f & 1)) continue;
            for (uint32_t seed = 0; seed < 60; seed++) {
                hn_case c;
                hn_case_init(&c, op);
                c.seed = seed;
                c.fill = (hn_fill)f;
                hn_case_draw(&c, HN_FIXED_FILL | HN_FIXED_FP);
                if (!hn_must_be_exact(&c)) continue;
                if (!(worst_radius(&d, &c, subject->kernels[k].spec) == 0.0)) {
                    hn_case_print(&c, line, sizeof line);
                    fail_msg("%s for %s: a radius is not 0", line, subject->kernels[k].isa);
                }
            }
        }
    drop(&d);
}

/* The first operand, and not all of them. */
static void outputs_are_told_from_inputs(void **state)
{
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++) {
        bool inputs = false;
        assert_true(hn_is_output(&hn_ops[o], 0));
        for (size_t k = 1; k < hn_ops[o].family->noperands; k++)
            inputs |= !hn_is_output(&hn_ops[o], k);
        assert_true(inputs || hn_ops[o].family->noperands == 1);
    }
}

/* Over all fills of a quantised operand, every bit of code and scale is seen in both states. */
static void every_bit_of_blocks_toggles(void **state)
{
    data d = { 0 };
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++)
        for (size_t k = 0; k < hn_ops[o].family->noperands; k++) {
            if (hn_is_output(&hn_ops[o], k)) continue;
            unsigned char any[BYTES_MAX] = { 0 }, all[BYTES_MAX];
            const hn_dtype dtype = hn_operand_dtype(&hn_ops[o], k);
            const size_t bytes = hn_dtypes[dtype].bytes;
            if (dtype == HN_F32 || dtype == HN_I32) continue; /* ids have their own limits */
            memset(all, 0xff, sizeof all);
            for (uint32_t seed = 0; seed < 400; seed++) {
                hn_case c;
                hn_case_init(&c, &hn_ops[o]);
                c.seed = seed;
                hn_case_draw(&c, 0);
                fill(&d, &c);
                for (size_t u = 0; u < d.at[k].rows * d.at[k].cols; u++) {
                    const hn_placed *p = &d.at[k];
                    const unsigned char *block =
                        p->at + (u / p->cols * p->ld + u % p->cols) * p->unit;
                    for (size_t b = 0; b < bytes; b++) {
                        any[b] |= block[b];
                        all[b] &= block[b];
                    }
                }
            }
            for (size_t b = 0; b < bytes; b++)
                if (any[b] != 0xff || all[b] != 0)
                    fail_msg("%s operand %zu byte %zu", hn_ops[o].stem, k, b);
        }
    drop(&d);
}

/* What the parts of a format have shown of it. */
typedef struct coverage {
    unsigned char all[BYTES_MAX];
    uint32_t parts[8 * HN_PARTS_MAX];
    size_t part, bits;
} coverage;

static void cover(coverage *c, const hn_dtype_info *info, const hn_field *fields)
{
    unsigned char unit[BYTES_MAX];
    for (const hn_field *f = fields; f->count; f++) {
        c->bits += f->count * hn_field_width(f);
        for (size_t i = 0; i < f->count; i++, c->part++)
            for (unsigned b = 0; b < hn_field_width(f); b++) {
                c->parts[c->part] = (uint32_t)1 << b;
                hn_pack(info, c->parts, unit);
                c->parts[c->part] = 0;
                for (size_t p = 0; p < info->parts && info != &hn_dtypes[HN_F32]; p++)
                    assert_int_equal(hn_part(info, unit, p) != 0.0, p == c->part);
                for (size_t k = 0; k < info->bytes; k++) {
                    assert_int_equal(c->all[k] & unit[k], 0);
                    c->all[k] |= unit[k];
                }
            }
    }
}

/* Every bit of a unit belongs to one part, and packing puts it there. */
static void parts_are_all_bits(void **state)
{
    (void)state;
    for (int t = 0; t < HN_DTYPE_COUNT; t++) {
        const hn_dtype_info *info = &hn_dtypes[t];
        coverage c = { { 0 }, { 0 }, 0, 0 };
        if (info->rows == 0) cover(&c, info, info->fields);
        for (size_t r = 0; r < info->rows; r++) cover(&c, info, info->row[r].fields);
        assert_int_equal(c.part, info->parts);
        assert_int_equal(c.bits, 8 * info->bytes);
    }
}

/* Bits of the layouts in docs/formats.md that are easily mistaken. */
static void parts_lie_as_documented(void **state)
{
    static const struct {
        hn_dtype dtype;
        size_t byte;
        unsigned bits;
        size_t part;
        const char *name;
        double value;
    } at[] = {
        { HN_F16, 1, 0x3c, 0, "", 15360.0 },
        { HN_I32, 3, 0x80, 0, "", -0x1p31 },
        { HN_INT4, 0, 0xf0, 1, ".q[1]", -1.0 },
        { HN_Q4_0, 2, 0xf0, 17, ".q[16]", 15.0 },
        { HN_Q4_1, 19, 0x0a, 17, ".q[15]", 10.0 },
        { HN_Q5_0, 4, 0x01, 17, ".q[16]", 16.0 },
        { HN_Q5_1, 7, 0x80, 33, ".q[31]", 16.0 },
        { HN_Q8_0, 33, 0x80, 32, ".q[31]", -128.0 },
        { HN_Q8_1, 3, 0x3c, 1, ".s", 15360.0 },
        { HN_Q4_K, 8, 0xc0, 14, ".m[4]", 48.0 },
        { HN_Q4_K, 12, 0x0f, 6, ".s[4]", 15.0 },
        { HN_Q4_K, 143, 0xf0, 273, ".q[255]", 15.0 },
        { HN_Q5_K, 47, 0x80, 273, ".q[255]", 16.0 },
        { HN_Q6_K, 191, 0xc0, 272, ".q[255]", 48.0 },
        { HN_Q6_K, 207, 0xff, 16, ".s[15]", -1.0 },
        { HN_Q8_K, 291, 0x80, 272, ".bsum[15]", -32768.0 },
        { HN_Q4_0X8, 15, 0x3c, 7 * 33, ".row[7].d", 15360.0 },
        { HN_Q4_0X8, 16 + 8, 0x0f, 33 + 1, ".row[1].q[0]", -1.0 },
        { HN_Q4_0X8, 16 + 64, 0x07, 9, ".row[0].q[8]", 7.0 },
        { HN_Q4_0X8, 143, 0x80, 8 * 33 - 1, ".row[7].q[31]", -8.0 },
        { HN_Q4_KX8, 31, 0x3c, 7 * 274 + 1, ".row[7].dmin", 15360.0 },
        { HN_Q4_KX8, 32 + 12 * 7 + 4, 0xc0, 4 * 274 + 17, ".row[4].m[7]", 48.0 },
        { HN_Q4_KX8, 32 + 12 * 7 + 11, 0x0f, 7 * 274 + 9, ".row[7].s[7]", 15.0 },
        { HN_Q4_KX8, 128 + 8, 0x0f, 274 + 18, ".row[1].q[0]", 15.0 },
        { HN_Q4_KX8, 1151, 0xf0, 8 * 274 - 1, ".row[7].q[255]", 15.0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const hn_dtype_info *info = &hn_dtypes[at[i].dtype];
        unsigned char unit[BYTES_MAX] = { 0 };
        unit[at[i].byte] = (unsigned char)at[i].bits;
        assert_string_equal(hn_part_name(info, at[i].part), at[i].name);
        assert_true(hn_part(info, unit, at[i].part) == at[i].value);
    }
}

/* The scale of a neighbour would be noticed: in exact fills next blocks differ. */
static void scales_of_neighbours_differ(void **state)
{
    data d = { 0 };
    (void)state;
    for (uint32_t seed = 0; seed < 100; seed++) {
        hn_case c;
        hn_case_init(&c, hn_op_find("gemm_nt_q8_0_q8_0"));
        c.seed = seed;
        c.fill = HN_FILL_INT;
        hn_case_draw(&c, HN_FIXED_FILL);
        fill(&d, &c);
        for (size_t k = 1; k <= 2; k++)
            for (size_t r = 0; r < d.at[k].rows; r++)
                for (size_t b = 0; b + 1 < d.at[k].cols; b++) {
                    const unsigned char *block = d.at[k].at + (r * d.at[k].ld + b) * d.at[k].unit;
                    assert_memory_not_equal(block, block + CK_Q8_0_BYTES, 2);
                }
    }
    drop(&d);
}

/* A dropped term or addend would be noticed: integers are never 0. */
static void integers_are_not_zero(void **state)
{
    data d = { 0 };
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++) {
        hn_case c;
        static const char *const stems[] = { "gemm_nt_q8_0_q8_0", "gemm_nt_f32",
                                             "gemm_nt_uint8_int8_i32" };
        hn_case_init(&c, hn_op_find(stems[seed % 3]));
        c.seed = seed;
        c.fill = HN_FILL_INT;
        hn_case_draw(&c, HN_FIXED_FILL);
        fill(&d, &c);
        for (size_t k = 1; k < c.op->family->noperands; k++) {
            const hn_dtype_info *info = &hn_dtypes[hn_operand_dtype(c.op, k)];
            for (size_t u = 0; d.at[k].at && u < d.at[k].rows * d.at[k].cols; u++)
                for (size_t p = 0; p < info->parts; p++)
                    assert_true(
                        hn_part(info,
                                d.at[k].at + (u / d.at[k].cols * d.at[k].ld + u % d.at[k].cols) *
                                                 d.at[k].unit,
                                p) != 0.0);
        }
    }
    drop(&d);
}

/* Every code of a meets every code of b, and rows of one code throughout have each end and what is beside
 * the least: the greatest sums that there are. */
static void bytes_have_all_pairs_and_ends(void **state)
{
    const char *const line = "gemm_nt_int8_int8_i32 gen=1 M=256 N=256 K=2 fill=";
    data d = { 0 };
    (void)state;
    for (int sat = 0; sat < 2; sat++) {
        char text[128], error[256];
        hn_case c;
        snprintf(text, sizeof text, "%s%s", line, sat ? "sat seed=2" : "census");
        assert_int_equal(hn_case_parse(&c, text, error, sizeof error), 0);
        fill(&d, &c);
        for (size_t k = 1; k <= 2; k++) {
            bool seen[256] = { false };
            for (size_t r = 0; r < 256; r++) {
                const unsigned char *const row = d.at[k].at + r * d.at[k].ld;
                seen[row[0]] = true;
                if (sat) assert_int_equal(row[0], row[1]);
            }
            for (size_t code = 0; code < 256; code++)
                assert_int_equal(seen[code], !sat || (code >= 127 && code <= 129));
        }
    }
    drop(&d);
}

/* Of what is drawn, rows that end gigabytes from the first lie so far apart that nothing between them is mapped. */
static void far_rows_leave_gaps(void **state)
{
    size_t far = 0;
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++)
        for (uint32_t seed = 0; seed < 400; seed++) {
            hn_case c;
            hn_extent extents[HN_MAX_OPERANDS] = { 0 };
            hn_case_init(&c, &hn_ops[o]);
            c.seed = seed;
            hn_case_draw(&c, 0);
            c.op->family->extents(&c, extents);
            for (size_t k = 0; k < c.op->family->noperands; k++) {
                const size_t apart = c.ld[k] * hn_dtypes[hn_operand_dtype(c.op, k)].bytes;
                if (extents[k].rows < 2 || apart * (extents[k].rows - 1) < (size_t)1 << 30)
                    continue;
                far++;
                if (apart < HN_APART) fail_msg("%s: rows %zu bytes apart", c.op->stem, apart);
            }
        }
    assert_true(far > 100);
}

/* What can be drawn is a case. */
static void draws_stay_within_limits(void **state)
{
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++)
        for (size_t i = 0; i < hn_ops[o].family->nkeys; i++) {
            const hn_key *k = &hn_ops[o].family->keys[i];
            if ((k->kind == HN_INT || k->kind == HN_DIM) && k->draw_most > k->most)
                fail_msg("%s %s: %lld is drawn, %lld the most", hn_ops[o].stem, k->name,
                         (long long)k->draw_most, (long long)k->most);
        }
}

/* Drawn options stay where draws are to stay, and come close to both ends: a window of thousands of tokens before
 * twenty would hide nothing, and a cache with room for a thousand costs as many rows. */
static void drawn_options_stay_small(void **state)
{
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++)
        for (size_t i = 0; i < hn_ops[o].family->nkeys && !hn_ops[o].family->draw; i++) {
            const hn_key *k = &hn_ops[o].family->keys[i];
            int64_t low = INT64_MAX, high = INT64_MIN;
            for (uint32_t seed = 0; seed < 300 && k->kind == HN_INT; seed++) {
                hn_case c;
                hn_case_init(&c, &hn_ops[o]);
                c.seed = seed;
                hn_case_draw(&c, 0);
                if (c.num[i] < low) low = c.num[i];
                if (c.num[i] > high) high = c.num[i];
            }
            if (k->kind != HN_INT) continue;
            if (low > k->least + (k->draw_most - k->least) / 16 || high > k->draw_most ||
                high < k->draw_most - (k->draw_most - k->least) / 16)
                fail_msg("%s %s: %lld to %lld of %lld to %lld", hn_ops[o].stem, k->name,
                         (long long)low, (long long)high, (long long)k->least,
                         (long long)k->draw_most);
        }
}

/* Element (row, col) of operand k, or (col, row) where sums run down the columns. */
static float across(const data *d, const hn_case *c, size_t k, size_t row, size_t col)
{
    const hn_placed *p = &d->at[k];
    const size_t at = hn_down(c, k) ? col * p->ld + row : row * p->ld + col;
    float x;
    memcpy(&x, p->at + at * p->unit, sizeof x);
    return x;
}

/* The operands of a sum are the same, however they lie. */
static void sums_run_down_as_along(void **state)
{
    data along = { 0 }, down = { 0 };
    (void)state;
    for (uint32_t seed = 0; seed < 90; seed++) {
        hn_case c, d;
        hn_case_init(&c, hn_op_find("gemm_nt_f32"));
        c.seed = seed;
        hn_case_draw(&c, HN_FIXED_LD);
        d = c;
        d.op = hn_op_find(seed % 2 ? "gemm_nn_f32" : "gemm_tn_f32");
        fill(&along, &c);
        fill(&down, &d);
        for (size_t k = 1; k <= 2 && c.num[2] > 0; k++)
            for (size_t r = 0; r < along.at[k].rows; r++)
                for (size_t l = 0; l < along.at[k].cols; l++) {
                    const float x = across(&along, &c, k, r, l), y = across(&down, &d, k, r, l);
                    assert_memory_equal(&x, &y, sizeof x);
                }
    }
    drop(&along);
    drop(&down);
}

int hn_test_data(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operand_lies_as_asked),
        cmocka_unit_test(guard_pages_are_unmapped),
        cmocka_unit_test(rows_far_apart_have_nothing_between),
        cmocka_unit_test(operand_not_passed_is_null),
        cmocka_unit_test(every_overwrite_is_found),
        cmocka_unit_test(slack_is_all_but_live),
        cmocka_unit_test(patterns_differ_everywhere),
        cmocka_unit_test(same_case_same_data),
        cmocka_unit_test(outputs_are_told_from_inputs),
        cmocka_unit_test(exact_fills_have_radius_zero),
        cmocka_unit_test(parts_are_all_bits),
        cmocka_unit_test(parts_lie_as_documented),
        cmocka_unit_test(every_bit_of_blocks_toggles),
        cmocka_unit_test(scales_of_neighbours_differ),
        cmocka_unit_test(integers_are_not_zero),
        cmocka_unit_test(bytes_have_all_pairs_and_ends),
        cmocka_unit_test(far_rows_leave_gaps),
        cmocka_unit_test(draws_stay_within_limits),
        cmocka_unit_test(drawn_options_stay_small),
        cmocka_unit_test(sums_run_down_as_along),
    };
    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
