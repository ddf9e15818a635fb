/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a summary by `proa trace` (tools/trace/summary.h). */
#ifndef PROA_TOOL_TRACE_H
#define PROA_TOOL_TRACE_H

#include "summary.h"

#include <stdio.h>

void proa_trace_show(const struct proa_summary *summary, FILE *out);
void proa_trace_show_json(const struct proa_summary *summary, FILE *out);

/* Writes all events, epochs and arrows, one line of JSON each. */
void proa_trace_list(struct proa_model *model, FILE *out);

#endif
