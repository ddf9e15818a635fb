/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of a trace as a page for browsers: one self-contained file. */
#ifndef PROA_TOOL_TRACE_PAGE_H
#define PROA_TOOL_TRACE_PAGE_H

#include "model.h"

#include <stdio.h>

/* Writes the page. Events after the first million are left out, and the page says so. The caller
 * checks the stream for errors. */
void proa_trace_write_page(struct proa_model *model, FILE *out);

#endif
