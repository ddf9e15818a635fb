/* SPDX-License-Identifier: BSD-3-Clause */
/* The records that a cell of a trace (trace/format.h) begins. */
#ifndef PROA_TRACE_CELLS_H
#define PROA_TRACE_CELLS_H

#include "trace/format.h"

struct proa_cell_records {
    unsigned cells; /* taken; 0: nothing is there yet */
    unsigned count; /* records */
    /* the first and the second of them; or, in the file, the only one */
    struct proa_trace_record expanded[2];
    const struct proa_trace_record *in_file;
};

/* Reads the cell at `at`; first: of the chunk; left: cells of the chunk from there on. A record
 * that would go beyond the chunk counts as none, in all that is left; so does one of a site that
 * the chunk has not, in its cell. */
void proa_cell_read(struct proa_cell_records *records, const struct proa_trace_record *first,
                    const char *at, unsigned left);

#endif
