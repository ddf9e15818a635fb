/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of the assertions given to calls on a window (MPI-4.1, 13.5.5).
 *
 * Operations carry the number of their fence or start to their target (order/accesses.h). The k-th
 * fence of each rank is the same call. The k-th start towards a target matches its k-th post for
 * that origin. So the target can find the assertions that apply to an operation.
 */
#ifndef PROA_USAGE_ASSERTIONS_H
#define PROA_USAGE_ASSERTIONS_H

#include "usage/rules.h"

/* Called around a call. Arguments as for proa_rules_enter and proa_rules_leave. */
void proa_assertions_enter(struct proa_rules *rules, enum proa_call call, const void *caller);
void proa_assertions_leave(struct proa_rules *rules, enum proa_call call, int rank, int code);

#endif
