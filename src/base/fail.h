/*
 * How core says what went wrong: a negative code, and a sentence about it kept for the calling thread until its next failure.
 * bind/ turns the code into an MPI error class and puts the name of the call and of the window before the sentence.
 */
#ifndef PROA_BASE_FAIL_H
#define PROA_BASE_FAIL_H

/* X(code): each is the MPI error class of the same name (PROA_ERR_SYNC: MPI_ERR_RMA_SYNC, and so on; see bind/raise.c). */
#define PROA_ERRORS(X)                                                                                                                     \
    X(WIN) X(COMM) X(SIZE) X(DISP) X(BASE) X(RMA_SHARED) X(RMA_FLAVOR) X(RMA_ATTACH) X(RMA_SYNC) X(RANK) X(COUNT) X(RMA_RANGE) X(TYPE)     \
    X(BUFFER) X(OP) X(LOCKTYPE) X(ASSERT) X(KEYVAL) X(GROUP) X(ARG) X(INFO) X(NO_MEM) X(UNSUPPORTED_OPERATION) X(OTHER) X(INTERN)

enum proa_error {
    PROA_OK = 0,
#define PROA_ERROR_NUMBER(name) PROA_ERROR_##name,
    PROA_ERRORS(PROA_ERROR_NUMBER)
#undef PROA_ERROR_NUMBER
#define PROA_ERROR_CODE(name) PROA_ERR_##name = -PROA_ERROR_##name,
    PROA_ERRORS(PROA_ERROR_CODE)
#undef PROA_ERROR_CODE
};

/* Keeps the sentence for this thread and returns code. Cold by design: callers write `return proa_fail(...)`. */
int proa_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold, noinline));

/* The sentence of this thread's last failure; "" before any. */
const char *proa_failure(void);

#endif
