/* SPDX-License-Identifier: MIT */
/* From a graph to a proved plan. */
#include <stdlib.h>

#include "generate.h"

static int check_tables(cg_error *error)
{
    if (cg_registry_check(cg_buffers, CG_BUFFERS, cg_kernels, CG_KERNEL_COUNT, cg_steps,
                          cg_step_count, error) != 0)
        return -1;
    return cg_rewrites_check(cg_rewrites, cg_rewrite_count, cg_steps, cg_step_count, error);
}

static int make(cg_program *p, const size_t *roles, const cg_layout_options *options,
                cg_error *error)
{
    if (cg_layout_make(&p->layout, &p->graph.config, options, error) != 0) return -1;
    if (cg_plan_make(&p->plan, &p->graph, roles, &p->layout, error) != 0) return -1;
    if (cg_layout_check(&p->layout, error) != 0) return -1;
    return cg_plan_check(&p->plan, &p->graph, &p->layout, error);
}

int cg_program_make(cg_program *p, cg_graph *g, const char *path, const cg_layout_options *options,
                    cg_error *error)
{
    size_t *roles = NULL;
    *p = (cg_program){ .graph = *g };
    *g = (cg_graph){ 0 };
    int status = check_tables(error);
    if (status == 0) status = cg_graph_check(&p->graph, path, &roles, error);
    if (status == 0) status = make(p, roles, options, error);
    free(roles);
    if (status != 0) cg_program_free(p);
    return status;
}

void cg_program_free(cg_program *p)
{
    cg_plan_free(&p->plan);
    cg_layout_free(&p->layout);
    cg_graph_free(&p->graph);
}
