/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of PROA_STATS when MPI ends: a table on standard error, or a JSON file. */
#ifndef PROA_WATCH_REPORT_H
#define PROA_WATCH_REPORT_H

#include "watch/record.h"

/* Gathers the records of all ranks of a window at its rank 0, which keeps them. Collective over
 * record->comm. Without a communicator a process keeps its own record only. */
void proa_report_gather(const struct proa_record *record);

/* Reports all windows kept here, in the order in which they were freed, and frees their data. */
void proa_report_tell(void);

#endif
