/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress of the network, by any thread.
 *
 * The progress engine exists only if a window spans nodes. One mutex guards the transport and the
 * state that core keeps for it (remote/origin.c, remote/target.c). A thread that holds the mutex is
 * inside the progress engine, so at most one thread is. A thread that waits in Proa makes progress
 * itself: the progress engine is the driver of base/wait.h. The progress thread makes progress when
 * no other thread does: while the program computes, calls the host, or sleeps. The progress thread
 * makes no MPI call.
 */
#ifndef PROA_PROGRESS_PROGRESS_H
#define PROA_PROGRESS_PROGRESS_H

#include "base/hidden.h"
#include "progress/endpoints.h"

#include <stddef.h>
#include <stdint.h>

/* Leaves all networks, and ends the progress thread, if there is one. Called when no window spans
 * nodes any more, or none will. */
void proa_progress_stop(void);

/* Stops the progress engine at the end of MPI. If a window that spans nodes is left, callbacks may
 * still work on it. The progress engine then stops at the end of the process. */
void proa_progress_end(void);

/* Acquire and release the progress engine's mutex, which guards the functions marked "inside" and
 * the state that core keeps for the network. The mutex is not recursive. */
void proa_progress_enter(void);
void proa_progress_leave(void);

/* The transport's functions (net/net.h), inside. A peer's number is that of progress/endpoints.h.
 */
int proa_progress_send(uint32_t peer, const void *body, size_t bytes);
int proa_progress_move(int put, const struct proa_net_place *there, void *here, size_t bytes,
                       uint64_t token);

/* Makes as much progress as possible; inside. Returns whether an event happened. */
int proa_progress_step(void);

/* Called by a thread that has waited for some time; inside. The transport then soon probes silent
 * peers. */
void proa_progress_attend(void);

/* Sends a message to a peer that waits for it; inside. Messages are sent as soon as there is room,
 * in the order of these calls. For callers that may not wait: the peer's requests bound the number
 * of such messages. */
void proa_progress_answer(uint32_t peer, const void *body, size_t bytes);

/* Drops a peer that sent a malformed message: the peer is lost. why: end of the sentence that
 * begins "a message of it ". Called by the handler of an incoming message. */
void proa_progress_drop(uint32_t peer, const char *why);

/* Wakes the progress thread, as there is work for it; inside. */
void proa_progress_disturb(void);

/* Makes progress like proa_progress_step, for a thread that is not inside. Does nothing if another
 * thread is inside. */
void proa_progress_drive(void);

/* For calls that test, by a thread that is not inside, while there is a network. Returns after all
 * events that had arrived before the call have been processed, by this thread or by another one
 * inside. */
void proa_progress_take_in(void);

/* ---- the work above the network ---- */

/* All functions are called inside. */
struct proa_progress_work {
    /* Events of the network, called during progress (net/net.h): a message arrived; a put or get is
     * done, or failed; a peer is lost. */
    void (*message)(uint32_t peer, const void *message, size_t bytes);
    void (*moved)(uint64_t token, int outcome);
    void (*lost)(uint32_t peer, enum proa_net_end end);

    /* Continues the work that waits for something other than the network. *is_pending: result,
     * whether another call is needed soon. Returns whether an event happened. */
    int (*go_on)(int *is_pending);

    /* Sends aggregated batches that are due. Returns whether a later call has a batch to send. */
    int (*send_due)(void);

    /* Returns whether a window spans nodes. */
    int (*has_windows)(void);
};

/* The work that the progress engine serves. Set once, before the first network is joined. */
extern PROA_HIDDEN const struct proa_progress_work *proa_progress_work;

/* ---- for progress/endpoints.c ---- */

/* Called before and after the set of endpoints changes; not inside. After pause, no progress thread
 * runs. resume: returns PROA_OK with the thread running, or PROA_ERR_OTHER if it cannot be created.
 */
void proa_progress_pause(void);
int proa_progress_resume(void);

#endif
