/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of a trace as a page for browsers: one file that needs no other. */
#ifndef PROA_TOOL_TRACE_PAGE_H
#define PROA_TOOL_TRACE_PAGE_H

#include "model.h"

/* Writes the page to the file of that path ("-": standard output). Events beyond the first million
 * are left out, and the page says so. 0, or -1 after a complaint. */
int proa_trace_write_page(struct proa_model *model, const char *path);

#endif
