/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of check mode. The findings of all processes are gathered at rank 0 of MPI_COMM_WORLD,
 * which reports their sum and writes the files (PROA_CHECK_JSON, PROA_CHECK_SARIF). If findings
 * reach the weight of PROA_CHECK_FAIL_ON, every process that would exit with status 0 exits with
 * PROA_EXIT_FINDINGS.
 */
#ifndef PROA_FINDINGS_SUMMARY_H
#define PROA_FINDINGS_SUMMARY_H

#include "findings/finding.h"

enum { PROA_EXIT_FINDINGS = 66 };

/* Registers an exit function. Called from MPI_Init, so that it runs after the program's own exit
 * functions. */
void proa_summary_begin(void);

/* Called when MPI ends; later calls are no-ops. Collective if proa_world_comm exists. Otherwise
 * each process with findings reports for itself. */
void proa_summary_tell(void);

/* Content of the files. */
struct proa_summary {
    int ranks, count; /* count: number of findings */
    const struct proa_found *found;
    struct proa_checked checked;
};

/* Writes the files with the findings of this process, for a program that may never end or is about
 * to abort. */
void proa_summary_write_now(void);

#endif
