/* SPDX-License-Identifier: MIT */
/* What a run says: table, failures, JSON and JUnit. */
#ifndef HN_REPORT_H
#define HN_REPORT_H

#include <stdio.h>

#include "expect.h"
#include "run.h"

typedef struct hn_totals {
    uint64_t passed, failed, skipped, expected;
} hn_totals;

/* Weighs the run: expected failures are marked and count as skipped, never as passed; unmet
 * expectations and weak curated cases are failures. */
hn_totals hn_report_weigh(hn_run *run, hn_expectations *expect);

/* The parity table; fits 80 columns. */
void hn_report_table(const hn_run *run, bool color, FILE *out);
/* A line for each row that lacks residues or pairs (cells.h); how many rows do. */
size_t hn_report_cells(const hn_run *run, FILE *out);
void hn_report_failures(const hn_run *run, const hn_expectations *expect, bool color, FILE *out);

/* What to look at first after this check; NULL: the values themselves. */
const char *hn_report_hint(hn_check check);

/* Written to a temporary file and renamed. Return 0, or -1 with one line in `error`. */
int hn_report_json(const hn_run *run, const hn_totals *totals, const ck_subject *subject,
                   const char *path, char *error, size_t size);
int hn_report_junit(const hn_run *run, const hn_totals *totals, const char *path, char *error,
                    size_t size);

/* Whether a row has failures that are not expected. */
bool hn_row_failed(const hn_run *run, size_t row);

#endif
