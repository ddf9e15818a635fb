/* SPDX-License-Identifier: BSD-3-Clause */
/* The records that start in a cell of a trace (trace/format.h). */
#ifndef PROA_TRACE_CELLS_H
#define PROA_TRACE_CELLS_H

#include "trace/format.h"

struct proa_cell_records {
    unsigned cells; /* cells read; 0 if there is no record yet */
    unsigned count; /* number of records */
    /* first and second record; or, in the file, the only one */
    struct proa_trace_record expanded[2];
    const struct proa_trace_record *in_file;
};

/* Reads the cell at `at`. first: first record of the chunk. left: cells of the chunk from there on.
 * A record that would exceed the chunk counts as none, and takes the remaining cells. A record of
 * an undefined site counts as none, and takes one cell. */
void proa_cell_read(struct proa_cell_records *records, const struct proa_trace_record *first,
                    const char *at, unsigned left);

#endif
