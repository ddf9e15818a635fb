/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failures of core: a negative code, and a sentence that is kept for the calling thread until its
 * next failure. bind/ turns the code into an MPI error class. It puts the name of the call and of
 * the window before the sentence.
 */
#ifndef PROA_BASE_FAIL_H
#define PROA_BASE_FAIL_H

/* X(code). Each code is the MPI error class of the same name (PROA_ERR_SYNC is MPI_ERR_RMA_SYNC,
 * and so on; see bind/raise.c). */
#define PROA_ERRORS(X)       \
    X(WIN)                   \
    X(COMM)                  \
    X(SIZE)                  \
    X(DISP)                  \
    X(BASE)                  \
    X(RMA_SHARED)            \
    X(RMA_FLAVOR)            \
    X(RMA_ATTACH)            \
    X(RMA_SYNC)              \
    X(RANK)                  \
    X(COUNT)                 \
    X(RMA_RANGE)             \
    X(TYPE)                  \
    X(BUFFER)                \
    X(OP)                    \
    X(LOCKTYPE)              \
    X(ASSERT)                \
    X(KEYVAL)                \
    X(GROUP)                 \
    X(ARG)                   \
    X(INFO)                  \
    X(NO_MEM)                \
    X(UNSUPPORTED_OPERATION) \
    X(OTHER)                 \
    X(INTERN)

/* No mpi.h has the class of notified operations yet (draft of MPI-5.1, 12.6). */
#define PROA_ERRORS_DRAFT(X) X(RMA_NOTIFICATION)

enum proa_error {
    PROA_OK = 0,
#define PROA_ERROR_NUMBER(name) PROA_ERROR_##name,
    PROA_ERRORS(PROA_ERROR_NUMBER) PROA_ERRORS_DRAFT(PROA_ERROR_NUMBER)
#undef PROA_ERROR_NUMBER
#define PROA_ERROR_CODE(name) PROA_ERR_##name = -PROA_ERROR_##name,
        PROA_ERRORS(PROA_ERROR_CODE) PROA_ERRORS_DRAFT(PROA_ERROR_CODE)
#undef PROA_ERROR_CODE
};

/* Keeps the sentence for this thread. Marked cold, so that compilers treat the calling branch as
 * unlikely. */
void proa_fail_say(const char *fmt, ...) __attribute__((format(printf, 1, 2), cold, noinline));

/* proa_fail(code, format, ...) keeps the sentence and evaluates to code: callers write `return
 * proa_fail(...)`. It is a macro so that compilers and analysers see at each use that the result is
 * not PROA_OK. */
#define proa_fail(code, ...) (proa_fail_say(__VA_ARGS__), proa_fail_code(code))

static inline int proa_fail_code(int code)
{
    return code;
}

/* Returns the sentence of this thread's last failure; "" before the first. */
const char *proa_failure(void);

/* The first of several failures, to be reported later. It is all zero before the first failure. */
struct proa_first_failure {
    int code;
    char text[160];
};

/* Keeps this failure if it is the first. code: 0 for no failure. A text that is too long is cut
 * off. */
void proa_failure_keep(struct proa_first_failure *first, int code, const char *text);

/* Returns the code of the kept failure and keeps its sentence for this thread; PROA_OK if there was
 * none. */
int proa_failure_report(const struct proa_first_failure *first);

#endif
