/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a long conversion is, on standard error if that is a terminal. */
#ifndef PROA_TRACE_PROGRESS_H
#define PROA_TRACE_PROGRESS_H

#include <stdint.h>

/* For struct proa_model_sink. At the end the line is empty again. */
void proa_trace_progress(void *user, uint64_t records, uint64_t all);

#endif
