/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A drop-in is not stricter than what it replaces: wrong uses that both hosts serve in the way
 * their writer meant are served by Proa too, with a line in the log, unless PROA_STRICT=1 asks for
 * the errors of the standard. doc/CHAPTER.md lists these uses, and the behaviour of the hosts.
 */
#ifndef PROA_WINDOW_STRICT_H
#define PROA_WINDOW_STRICT_H

#include "base/calls.h"
#include "base/hidden.h"
#include "window/win.h"

/* The uses; bits of proa_win.lax. */
enum {
    PROA_LAX_REQUEST = 1, /* a request form in a fence or start epoch */
    PROA_LAX_EXPOSED = 2, /* the own window locked and exposed at once */
    /* other basic types on the sides of an accumulate where none is computed with */
    PROA_LAX_BASIC = 4,
    PROA_LAX_BYTES = 8,    /* arithmetic on bytes */
    PROA_LAX_SHORT = 16,   /* an origin that is shorter than its target */
    PROA_LAX_NOTIFIED = 32 /* a notified operation in a fence or start epoch */
};

/* use: PROA_LAX_*; code, and a sentence as for printf: the error that it is by the standard; call:
 * in which function. Returns that error with PROA_STRICT=1; else PROA_OK, having told the user at
 * PROA_LOG=2. Logs once for each window and use: a loop does not flood the log, but each window is
 * named, as the place to look for in the program. Safe from any thread. */
int proa_lax(struct proa_win *win, unsigned use, int code, enum proa_call call, const char *fmt,
             ...) __attribute__((format(printf, 5, 6), cold));

/* Called with the sentence of each use that is served, once for each window and use; NULL: none
 * is. Set before the first window. */
typedef void proa_lax_watcher(const struct proa_win *win, enum proa_call call,
                              const char *sentence);
extern PROA_HIDDEN proa_lax_watcher *proa_lax_watched;

#endif
