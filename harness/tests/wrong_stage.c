/* SPDX-License-Identifier: MIT */
/* A harness that does not check the last row of a step. */
#include "runtime/stage.h"

void __real_hn_rt_check(const hn_rt_work *w, hn_rt_cells *cells, hn_rt_found *found);
void __wrap_hn_rt_check(const hn_rt_work *w, hn_rt_cells *cells, hn_rt_found *found);

void __wrap_hn_rt_check(const hn_rt_work *w, hn_rt_cells *cells, hn_rt_found *found)
{
    hn_rt_pass pass = *w->p;
    hn_rt_work work = *w;
    pass.rows -= pass.rows > 1;
    work.p = &pass;
    __real_hn_rt_check(&work, cells, found);
}
