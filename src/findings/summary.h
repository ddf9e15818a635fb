/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of check mode: the findings of all processes come together at rank 0 of MPI_COMM_WORLD,
 * which tells their sum and writes the files (PROA_CHECK_JSON, PROA_CHECK_SARIF). If findings
 * reach the weight of PROA_CHECK_FAIL_ON, every process that would exit with status 0 exits with
 * PROA_EXIT_FINDINGS.
 */
#ifndef PROA_FINDINGS_SUMMARY_H
#define PROA_FINDINGS_SUMMARY_H

#include "findings/finding.h"

enum { PROA_EXIT_FINDINGS = 66 };

/* From MPI_Init, so that it runs behind the program's own functions at the exit. */
void proa_summary_begin(void);

/* When MPI ends; later calls do nothing. Collective if proa_world_comm is there. Without it, each
 * process with findings speaks for itself. */
void proa_summary_tell(void);

/* What the files tell of. */
struct proa_summary {
    int ranks, count; /* count: of found */
    const struct proa_found *found;
    struct proa_checked checked;
};

/* Writes the files with what this process knows: for a program that may never end, or is about to
 * be aborted. */
void proa_summary_write_now(void);

#endif
