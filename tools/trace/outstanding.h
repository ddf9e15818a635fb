/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of operations over the network that calls issued but did not complete yet. */
#ifndef PROA_TRACE_OUTSTANDING_H
#define PROA_TRACE_OUTSTANDING_H

#include "model.h"

struct proa_outstanding;

struct proa_outstanding *proa_outstanding_new(const struct proa_model *model);
void proa_outstanding_free(struct proa_outstanding *outstanding);

/* Returns true if the sum of the event's process changed at the event's end. *bytes: the new
 * sum. */
int proa_outstanding_follow(struct proa_outstanding *outstanding,
                            const struct proa_model_event *event, int64_t *bytes);

/* Returns true if the call completes the process's operations on its window; with a rank, only
 * those on that rank. */
int proa_outstanding_completes(const char *call);

#endif
