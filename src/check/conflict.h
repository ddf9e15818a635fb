/* SPDX-License-Identifier: BSD-3-Clause */
/* The finding that two operations conflict. */
#ifndef PROA_CHECK_CONFLICT_H
#define PROA_CHECK_CONFLICT_H

#include "order/accesses.h"
#include "findings/last_sync.h"
#include "window/win.h"

/* Do two accesses that conflict do so as the program has asserted accumulate_ops, and else not? */
int proa_conflict_by_assertion(const struct proa_access *first, const struct proa_access *second);

/* The rule that two such accesses break. */
const char *proa_conflict_rule(const struct proa_access *first, const struct proa_access *second);

/* Two operations of this origin that conflict; epoch: PROA_EPOCH_* towards that target; since: the
 * call that has opened it. */
void proa_conflict_tell(const struct proa_win *win, int target, unsigned epoch,
                        const struct proa_access *first, const struct proa_access *second,
                        const struct proa_last_sync *since);

#endif
