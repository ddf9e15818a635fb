/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of PROA_STATS when MPI ends: a table for people on standard error, or a file of
 * JSON. */
#ifndef PROA_WATCH_REPORT_H
#define PROA_WATCH_REPORT_H

#include "watch/record.h"

/* Brings the records of all ranks of a window to its rank 0, which keeps them. Collective over
 * record->comm; without one a process keeps its own only. */
void proa_report_gather(const struct proa_record *record);

/* Tells of all windows that were kept here, in the order in which they were freed, and forgets
 * them. */
void proa_report_tell(void);

#endif
