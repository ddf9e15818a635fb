/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress of the network, by any thread.
 *
 * The progress engine exists only if a window spans nodes. One mutex guards the transport and the
 * state that core keeps for it (remote/origin.c, remote/target.c). A thread that holds the mutex is
 * inside the progress engine, so at most one thread is. A thread that waits in Proa makes progress
 * itself: the progress engine is the driver of base/wait.h. The progress thread makes progress when
 * no other thread does: while the program computes, or is in its MPI, or sleeps. The progress
 * thread makes no MPI call.
 */
#ifndef PROA_PROGRESS_PROGRESS_H
#define PROA_PROGRESS_PROGRESS_H

#include "base/hidden.h"
#include "progress/endpoints.h"

#include <stddef.h>
#include <stdint.h>

/* Leaves all networks, and ends the progress thread, if there is any. Called when no window spans
 * nodes any more, or none is going to be used. */
void proa_progress_stop(void);

/* At the end of MPI: stops the progress engine. If a window is left that spans nodes, callbacks may
 * still work on it, and the progress engine stops at the end of the process. */
void proa_progress_end(void);

/* Take and release the progress engine's mutex: around everything below, and around the state that
 * core keeps for the network. No thread enters twice. */
void proa_progress_enter(void);
void proa_progress_leave(void);

/* The transport's functions (net/net.h), inside. A peer's number is that of progress/endpoints.h.
 */
int proa_progress_send(uint32_t peer, const void *body, size_t bytes);
int proa_progress_move(int put, const struct proa_net_place *there, void *here, size_t bytes,
                       uint64_t token);

/* Makes progress as far as possible; inside. Returns whether anything has happened. */
int proa_progress_step(void);

/* A thread has waited for some time: the transport soon probes silent peers; inside. */
void proa_progress_attend(void);

/* Sends a message to a peer that waits for it; inside. It is sent as soon as there is room, in the
 * order of these calls. For callers that may not wait: the peer's requests bound the number of such
 * messages. */
void proa_progress_answer(uint32_t peer, const void *body, size_t bytes);

/* Drops a peer whose message makes no sense: the peer is lost. why: "a message of it " goes before.
 * Called by the reader of an incoming message. */
void proa_progress_drop(uint32_t peer, const char *why);

/* The progress thread is to look soon, as there is work for it; inside. */
void proa_progress_disturb(void);

/* The same as proa_progress_step, by a thread that is not inside. Does nothing if another thread
 * is inside. */
void proa_progress_drive(void);

/* For calls that test, by a thread that is not inside, while there is a network. Returns once all
 * events that had come before have been processed, by this thread or by another that is inside. */
void proa_progress_take_in(void);

/* ---- the work above the network ---- */

/* All is called inside. */
struct proa_progress_work {
    /* Events of the network, from within progress (net/net.h): a message has come; a put or get is
     * done, or has failed; a peer is lost. */
    void (*message)(uint32_t peer, const void *message, size_t bytes);
    void (*moved)(uint64_t token, int outcome);
    void (*lost)(uint32_t peer, enum proa_net_end end);

    /* Goes on with all that waits for something else than the network. Returns whether anything has
     * happened. *is_pending: there is work for another call soon. */
    int (*go_on)(int *is_pending);

    /* Sends aggregated batches that are due. Returns whether a later look has to send one. */
    int (*send_due)(void);

    /* Is there a window over several nodes? */
    int (*has_windows)(void);
};

/* What the progress engine works for; set once, before the first end is joined. */
extern PROA_HIDDEN const struct proa_progress_work *proa_progress_work;

/* ---- for progress/endpoints.c ---- */

/* Around a change of the ends; not inside. pause: the progress thread has ended, if there was one.
 * resume: the thread runs; PROA_ERR_OTHER: it cannot be created. */
void proa_progress_pause(void);
int proa_progress_resume(void);

#endif
