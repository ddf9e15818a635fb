/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of a trace as a page for browsers: one file that needs no other. */
#ifndef PROA_TOOL_TRACE_PAGE_H
#define PROA_TOOL_TRACE_PAGE_H

#include "model.h"

#include <stdio.h>

/* Events beyond the first million are left out, and the page says so. Errors of the stream are the
 * caller's to look at. */
void proa_trace_write_page(struct proa_model *model, FILE *out);

#endif
