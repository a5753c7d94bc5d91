/* SPDX-License-Identifier: MIT */
/* A harness without guard pages: every operand lies in the middle of its slot. */
#include "place.h"

int __real_hn_place_operand(hn_slot *slot, const hn_extent *extent, size_t ld,
                            const hn_dtype_info *info, hn_place place, hn_placed *placed);
int __wrap_hn_place_operand(hn_slot *slot, const hn_extent *extent, size_t ld,
                            const hn_dtype_info *info, hn_place place, hn_placed *placed);

int __wrap_hn_place_operand(hn_slot *slot, const hn_extent *extent, size_t ld,
                            const hn_dtype_info *info, hn_place place, hn_placed *placed)
{
    place.edge = HN_MIDDLE;
    return __real_hn_place_operand(slot, extent, ld, info, place, placed);
}
