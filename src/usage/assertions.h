/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the assertions of calls on a window say (MPI-4.1, 13.5.5), held against what happens.
 *
 * Operations carry the number of their fence or start to their target (order/accesses.h). The k-th
 * fence of each rank is the same call, and the k-th start towards a target matches its k-th post
 * for that origin, so the target knows the assertions that an operation met.
 */
#ifndef PROA_USAGE_ASSERTIONS_H
#define PROA_USAGE_ASSERTIONS_H

#include "usage/rules.h"

/* Around a call; arguments as of proa_rules_enter and proa_rules_leave. */
void proa_assertions_enter(struct proa_rules *rules, enum proa_call call, const void *caller);
void proa_assertions_leave(struct proa_rules *rules, enum proa_call call, int rank, int code);

#endif
