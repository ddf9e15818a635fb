/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of operations over the network that calls have issued and not yet completed. */
#ifndef PROA_TRACE_OUTSTANDING_H
#define PROA_TRACE_OUTSTANDING_H

#include "model.h"

struct proa_outstanding;

struct proa_outstanding *proa_outstanding_new(const struct proa_model *model);
void proa_outstanding_free(struct proa_outstanding *outstanding);

/* Has the sum of the event's process changed, at the event's end? Then it is in *bytes. */
int proa_outstanding_follow(struct proa_outstanding *outstanding,
                            const struct proa_model_event *event, int64_t *bytes);

/* Does the call complete the process's operations on its window? With a rank only those to it. */
int proa_outstanding_completes(const char *call);

#endif
