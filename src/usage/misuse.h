/* SPDX-License-Identifier: BSD-3-Clause */
/* The usage rules, one row each, and the finding that a rule is broken. */
#ifndef PROA_USAGE_MISUSE_H
#define PROA_USAGE_MISUSE_H

#include "findings/finding.h"
#include "window/win.h"

/* X(name, id, verdict, rule, remedy) */
#define PROA_MISUSES(X)                                                                            \
    X(ERROR, "error", MISUSE, "the call is an error by the standard (MPI-4.1, 13.6)", "")          \
    X(LAX, "served", MISUSE,                                                                       \
      "the call is an error by the standard; MPICH, Open MPI and Proa serve it "                   \
      "(PROA_STRICT=1 makes it an error)",                                                         \
      "")                                                                                          \
    X(SIGNATURE, "signature", MISUSE,                                                              \
      "the basic types of origin and target must match (MPI-4.1, 13.3.1 and 3.3.1)",               \
      "the same basic datatype on both sides")                                                     \
    X(OVERLAP, "overlap", MISUSE,                                                                  \
      "a datatype that data are written through must not name a byte twice (MPI-4.1, 13.3.1, "     \
      "13.3.2 and 13.3.4)",                                                                        \
      "a datatype whose entries lie apart")                                                        \
    X(RESULT, "result", MISUSE, "origin and result buffers must be disjoint (MPI-4.1, 13.3.4)",    \
      "a result buffer of its own")                                                                \
    X(NOPRECEDE, "noprecede", MISUSE,                                                              \
      "MPI_MODE_NOPRECEDE asserts that this process has issued no operation since the last fence " \
      "(MPI-4.1, 13.5.5)",                                                                         \
      "the fence without MPI_MODE_NOPRECEDE")                                                      \
    X(NOCHECK_START, "nocheck-start", MISUSE,                                                      \
      "MPI_MODE_NOCHECK of MPI_Win_start asserts that each target has called MPI_Win_post before " \
      "(MPI-4.1, 13.5.5)",                                                                         \
      "MPI_Win_start without MPI_MODE_NOCHECK, or a message from the target after its post")       \
    X(NOCHECK_SIDES, "nocheck-sides", MISUSE,                                                      \
      "MPI_MODE_NOCHECK must be given by MPI_Win_start and by each matching MPI_Win_post, or "     \
      "by none of them (MPI-4.1, 13.5.5)",                                                         \
      "the same assertion on both sides")                                                          \
    X(NOPUT, "noput", MISUSE,                                                                      \
      "MPI_MODE_NOPUT asserts that no put or accumulate updates the window until the next "        \
      "synchronization (MPI-4.1, 13.5.5)",                                                         \
      "the call without MPI_MODE_NOPUT")                                                           \
    X(NOSTORE, "nostore", MISUSE,                                                                  \
      "MPI_MODE_NOSTORE asserts that this process has not stored to the window since the "         \
      "last synchronization (MPI-4.1, 13.5.5)",                                                    \
      "the call without MPI_MODE_NOSTORE")                                                         \
    X(NOCHECK_LOCK, "nocheck-lock", MISUSE,                                                        \
      "MPI_MODE_NOCHECK of a lock asserts that no other process holds, or asks for, a "            \
      "conflicting "                                                                               \
      "lock (MPI-4.1, 13.5.5)",                                                                    \
      "the lock without MPI_MODE_NOCHECK")                                                         \
    X(LOCKED_EXPOSED, "locked-exposed", MISUSE,                                                    \
      "a window must not be locked and exposed at once (MPI-4.1, 13.5.3)",                         \
      "MPI_Win_unlock at the origin, and a message to this process, before MPI_Win_post")          \
    X(GROUPS, "groups", MISUSE,                                                                    \
      "each MPI_Win_start matches an MPI_Win_post of each of its targets, and the reverse "        \
      "(MPI-4.1, 13.5.2)",                                                                         \
      "groups that name each other")                                                               \
    X(CREATION, "creation", MISUSE,                                                                \
      "all processes of a window must give the same value of this info key (MPI-4.1, 13.2)",       \
      "the same info on all ranks")                                                                \
    X(FENCE_ASSERTS, "fence-asserts", MISUSE,                                                      \
      "MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED must be given by all processes or by none "       \
      "(MPI-4.1, 13.5.5)",                                                                         \
      "the same assertion on all ranks")                                                           \
    X(FREED, "freed", MISUSE,                                                                      \
      "memory of a window must not be freed before the window (MPI-4.1, "                          \
      "13.2.1)",                                                                                   \
      "MPI_Win_free, or MPI_Win_detach, first")                                                    \
    X(REQUEST, "request", MISUSE,                                                                  \
      "MPI_Cancel and MPI_Request_free must not be called for the request of an operation on "     \
      "a window (MPI-4.1, 13.3.5)",                                                                \
      "MPI_Wait or MPI_Test, which complete it")                                                   \
    X(REQUEST_LEAK, "request-leak", NOTE, "MPI_Finalize completes no requests (MPI-4.1, 11.2.2)",  \
      "MPI_Wait or MPI_Test for it")                                                               \
    X(LEAK, "leak", NOTE, "MPI_Finalize frees no windows (MPI-4.1, 11.2.2)",                       \
      "MPI_Win_free on all ranks before MPI_Finalize")

enum proa_misuse {
#define PROA_MISUSE_NUMBER(name, id, verdict, rule, remedy) PROA_MISUSE_##name,
    PROA_MISUSES(PROA_MISUSE_NUMBER)
#undef PROA_MISUSE_NUMBER
};

/* Reports that a call breaks the rule. win: window, or NULL. caller: return address of the call.
 * other: second call, or NULL. sentence: format as for printf, what is wrong. */
void proa_misuse(enum proa_misuse misuse, const struct proa_win *win, const char *call,
                 const void *caller, const struct proa_finding_call *other, const char *sentence,
                 ...) __attribute__((format(printf, 6, 7), cold));

/* Reports the same of a request. window: name of its window, which may be gone. */
void proa_misuse_request(enum proa_misuse misuse, const char *window, const char *call,
                         const void *caller, const struct proa_finding_call *other,
                         const char *sentence, ...) __attribute__((format(printf, 6, 7), cold));

#endif
