/* SPDX-License-Identifier: MIT */
/* Commands about one case: what went wrong, how small it gets, how to see it elsewhere. */
#ifndef HN_TOOLS_H
#define HN_TOOLS_H

#include "run.h"

typedef struct hn_tool {
    const char *line;    /* the case */
    const char *subject; /* NULL: ours */
    const char *out;     /* emit-c: the file to write, NULL: standard output */
    const char *dump;    /* folder for the operands; NULL: none */
    bool runtimes;       /* the case may be one of a generated runtime */
} hn_tool;

/* Each returns an exit code. 0: done (explain: nothing fails); 1: explain: it fails; shrink: it does
 * not; 2: bad input; 77: the kernel cannot run here. */
int hn_tool_explain(const hn_tool *tool);
int hn_tool_shrink(const hn_tool *tool);
int hn_tool_emit(const hn_tool *tool);
int hn_tool_gdb(const hn_tool *tool);
int hn_tool_call(const hn_tool *tool);
/* Writes the operands to tool->dump and prints the case that replays them. */
int hn_tool_dump(const hn_tool *tool);

/* A line "file:line: error: check: what [case]" for each failure that is not expected. */
void hn_tool_editor(const hn_run *run, const char *subject);

#endif
