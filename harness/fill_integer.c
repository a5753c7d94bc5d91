/* SPDX-License-Identifier: MIT */
/* Factors of products that are integers themselves. */
#include "fill_row.h"

/* Codes of which a product is easily the greatest or the least, and those beside them. */
static int64_t edge_code(row *r, int64_t least, int64_t most)
{
    const int64_t edges[] = { least, least + 1, -1, 0, 1, 127, most - 1, most };
    const int64_t code = edges[hn_below(&r->rng, sizeof edges / sizeof *edges)];
    return code < least ? most : code;
}

/* The code of a run: one of the ends, or one beside the least. */
static int64_t end_code(row *r, int64_t least, int64_t most)
{
    const uint64_t way = hn_below(&r->rng, 4);
    return way < 2 ? most : least + (way == 3);
}

void hn_fill_integers(row *r, const hn_dtype_info *info, unsigned char *unit, size_t n)
{
    const int64_t half = (int64_t)1 << (hn_field_width(info->fields) - 1);
    const bool is_signed = info->fields->encoding == HN_SIGNED;
    const int64_t least = is_signed ? -half : 0, most = least + 2 * half - 1;
    const size_t kept = pick_index(&r->rng, n);
    const size_t run = r->seed & 2 ? n : (size_t)hn_range(&r->rng, 1, 8);
    int64_t held = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t code = hn_range(&r->rng, least, most);
        switch (r->fill) {
        case HN_FILL_INT:
            code = (int64_t)integer(&r->rng, 8);
            if (code < least) code = -code;
            break;
        case HN_FILL_PROBE:
            if (r->role == HN_ROLE_LEFT && i != kept) code = 0;
            if (r->role == HN_ROLE_LEFT && i == kept && code == 0) code = 1;
            break;
        case HN_FILL_EDGE: code = edge_code(r, least, most); break;
        case HN_FILL_SAT:
            if (i % run == 0) held = end_code(r, least, most);
            code = held;
            break;
        case HN_FILL_CENSUS:
            code = (int64_t)(r->index + i);
            break; /* of which the last bits are left */
        default: break;
        }
        hn_pack(info, &(uint32_t){ (uint32_t)code }, unit + i * info->bytes);
    }
}
