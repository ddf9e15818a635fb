/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A drop-in is not stricter than the host it replaces. Proa serves wrong uses that both hosts serve
 * as intended, with a line in the log, unless PROA_STRICT=1 requests the errors of the standard.
 * doc/CHAPTER.md lists these uses, and the behaviour of the hosts.
 */
#ifndef PROA_WINDOW_STRICT_H
#define PROA_WINDOW_STRICT_H

#include "base/calls.h"
#include "base/hidden.h"
#include "window/win.h"

/* The uses; bits of proa_win.lax. */
enum {
    PROA_LAX_REQUEST = 1, /* a request form in a fence or start epoch */
    PROA_LAX_EXPOSED = 2, /* the process's own window locked and exposed at once */
    /* different basic types at origin and target of an accumulate without arithmetic */
    PROA_LAX_BASIC = 4,
    PROA_LAX_BYTES = 8,    /* arithmetic on bytes */
    PROA_LAX_SHORT = 16,   /* an origin shorter than its target */
    PROA_LAX_NOTIFIED = 32 /* a notified operation in a fence or start epoch */
};

/* Serves a wrong use or fails. use: PROA_LAX_*. code: the error by the standard. call: the MPI
 * function. fmt: sentence about the error, as for printf. Returns that error with PROA_STRICT=1;
 * otherwise logs at PROA_LOG=2 and returns PROA_OK. Logs once for each window and use, so that a
 * loop does not flood the log but each window is named. Callable from any thread. */
int proa_lax(struct proa_win *win, unsigned use, int code, enum proa_call call, const char *fmt,
             ...) __attribute__((format(printf, 5, 6), cold));

/* Called with the sentence of each served use, once for each window and use; NULL for no watcher.
 * Set before the first window. */
typedef void proa_lax_watcher(const struct proa_win *win, enum proa_call call,
                              const char *sentence);
extern PROA_HIDDEN proa_lax_watcher *proa_lax_watched;

#endif
