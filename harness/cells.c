/* SPDX-License-Identifier: MIT */
/* Residues of dimensions. */
#include "cells.h"

#include "family.h"

enum { SHOWN = 4 };

static unsigned modulus_of(unsigned declared)
{
    return declared == 0 ? 1 : declared < HN_CELL_MOST ? declared : HN_CELL_MOST;
}

/* Products have rows, columns and terms; other ops rows and elements of a row. */
void hn_cell_axes(const hn_op *op, const ck_numspec *num, hn_cell_axis axes[HN_CELL_AXES])
{
    const unsigned declared[HN_CELL_AXES] = { num->mr, num->nr, num->ku };
    size_t dims[HN_MAX_KEYS], count = 0;
    for (size_t i = 0; i < op->family->nkeys; i++)
        if (op->family->keys[i].kind == HN_DIM) dims[count++] = i;
    for (size_t a = 0; a < HN_CELL_AXES; a++) {
        const bool last = a == HN_CELL_AXES - 1, product = op->family->products != NULL;
        axes[a] = (hn_cell_axis){ .modulus = modulus_of(declared[a]) };
        if (count == 0 || (!last && a + 1 >= count) || (a == 1 && !product)) continue;
        axes[a].key = dims[last ? count - 1 : a];
        axes[a].name = op->family->keys[axes[a].key].name;
    }
}

static size_t residue(const hn_case *c, const hn_cell_axis *axis)
{
    if (!axis->name) return 0;
    return (size_t)(c->num[axis->key] / hn_key_unit(c->op, axis->key)) % axis->modulus;
}

static bool has(const uint64_t *bits, size_t i) { return bits[i / 64] >> i % 64 & 1; }
static void set(uint64_t *bits, size_t i) { bits[i / 64] |= (uint64_t)1 << i % 64; }
static size_t pair_bit(size_t i, size_t j) { return i * HN_CELL_MOST + j; }

void hn_cells_mark(hn_cells *cells, const hn_case *c, const ck_numspec *num)
{
    hn_cell_axis axes[HN_CELL_AXES];
    size_t at[HN_CELL_AXES];
    hn_cell_axes(c->op, num, axes);
    for (size_t a = 0; a < HN_CELL_AXES; a++) {
        at[a] = residue(c, &axes[a]);
        set(cells->residues[a], at[a]);
        for (size_t b = 0; b < a; b++) set(cells->pairs[a + b - 1], pair_bit(at[b], at[a]));
    }
}

void hn_cells_merge(hn_cells *into, const hn_cells *from)
{
    uint64_t *const to = (uint64_t *)into;
    const uint64_t *const bits = (const uint64_t *)from;
    for (size_t i = 0; i < sizeof *into / sizeof *to; i++) to[i] |= bits[i];
}

hn_cell_count hn_cells_residues(const hn_cells *cells, const hn_cell_axis *axis, size_t a)
{
    hn_cell_count count = { 0, axis->name ? axis->modulus : 0 };
    for (size_t i = 0; i < count.all; i++) count.seen += has(cells->residues[a], i);
    return count;
}

hn_cell_count hn_cells_pairs(const hn_cells *cells, const hn_cell_axis axes[HN_CELL_AXES])
{
    hn_cell_count count = { 0, 0 };
    for (size_t a = 1; a < HN_CELL_AXES; a++)
        for (size_t b = 0; b < a; b++) {
            if (!axes[a].name || !axes[b].name) continue;
            count.all += (size_t)axes[a].modulus * axes[b].modulus;
            for (size_t i = 0; i < axes[b].modulus; i++)
                for (size_t j = 0; j < axes[a].modulus; j++)
                    count.seen += has(cells->pairs[a + b - 1], pair_bit(i, j));
        }
    return count;
}

void hn_cells_missing(const hn_cells *cells, const hn_cell_axis axes[HN_CELL_AXES], FILE *out)
{
    const char *lead = "";
    for (size_t a = 0; a < HN_CELL_AXES; a++) {
        unsigned shown = 0;
        for (size_t i = 0; axes[a].name && i < axes[a].modulus && shown < SHOWN; i++) {
            if (has(cells->residues[a], i)) continue;
            fprintf(out, "%s%s %% %u = %zu", lead, axes[a].name, axes[a].modulus, i);
            lead = "; ";
            shown++;
        }
        for (size_t b = 0; b < a && axes[a].name && axes[b].name; b++)
            for (size_t bit = 0; bit < HN_CELL_MOST * HN_CELL_MOST && shown < SHOWN; bit++) {
                const size_t i = bit / HN_CELL_MOST, j = bit % HN_CELL_MOST;
                if (i >= axes[b].modulus || j >= axes[a].modulus) continue;
                if (has(cells->pairs[a + b - 1], bit)) continue;
                fprintf(out, "%s%s %% %u, %s %% %u = %zu, %zu", lead, axes[b].name, axes[b].modulus,
                        axes[a].name, axes[a].modulus, i, j);
                lead = "; ";
                shown++;
            }
    }
}
