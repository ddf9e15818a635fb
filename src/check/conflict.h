/* SPDX-License-Identifier: BSD-3-Clause */
/* The finding that two operations conflict. */
#ifndef PROA_CHECK_CONFLICT_H
#define PROA_CHECK_CONFLICT_H

#include "order/accesses.h"
#include "findings/last_sync.h"
#include "window/win.h"

/* Returns true if the two accesses conflict only because the program asserted accumulate_ops. */
int proa_conflict_by_assertion(const struct proa_access *first, const struct proa_access *second);

/* Returns the rule that two conflicting accesses break. */
const char *proa_conflict_rule(const struct proa_access *first, const struct proa_access *second);

/* Reports two operations of this origin that conflict. epoch: PROA_EPOCH_* towards the target.
 * since: call that opened the epoch. */
void proa_conflict_tell(const struct proa_win *win, int target, unsigned epoch,
                        const struct proa_access *first, const struct proa_access *second,
                        const struct proa_last_sync *since);

#endif
