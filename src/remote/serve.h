/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets for origins on other nodes: what comes in batches is done to this process's part of a
 * window, by the same functions as a neighbour uses on the node.
 *
 * Everything here is inside the agent (remote/agent.h), on whatever thread moves the network, and
 * waits for nobody: locks are asked for in steps (sync/lock.h), and a batch that comes before its
 * lock is granted, or before our post for its epoch, is kept. Of each origin that is one at the
 * most; it sends no more until then.
 */
#ifndef PROA_REMOTE_SERVE_H
#define PROA_REMOTE_SERVE_H

#include "remote/spread.h"

/* PROA_OK or PROA_ERR_NO_MEM; proa_serve_close undoes it in any case. */
int proa_serve_open(struct proa_win *win);
void proa_serve_close(struct proa_win *win);

/* A batch has come. One that makes no sense ends its sender (proa_agent_drop); what it had done
 * before that stays done. */
void proa_serve_batch(uint32_t peer, const struct proa_wire_head *head, const char *body,
                      size_t bytes);

/* Looks at what waits for locks; how many got theirs. */
int proa_serve_pending(void);
int proa_serve_has_pending(void);

/* We have posted to it, so often by now: what has waited for that is done. */
void proa_serve_posted(struct proa_remote *origin, uint64_t times);

/* That process is gone, and will give no lock back any more. */
void proa_serve_lost(struct proa_remote *origin);

/* Forgets what is kept for an origin. */
void proa_serve_forget(struct proa_remote *origin);

#endif
