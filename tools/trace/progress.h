/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows the progress of a long conversion, on standard error if that is a terminal. */
#ifndef PROA_TRACE_PROGRESS_H
#define PROA_TRACE_PROGRESS_H

#include <stdint.h>

/* Callback for struct proa_model_sink. At the end it clears the line. */
void proa_trace_progress(void *user, uint64_t records, uint64_t all);

#endif
