/* SPDX-License-Identifier: BSD-3-Clause */
/* What below.c, which stands between Proa and the host, lets a program see and do. In the program:
 * below_find(), behind check.h. */
#ifndef PROA_TEST_BELOW_H
#define PROA_TEST_BELOW_H

struct below {
    int makes, frees; /* host windows that Proa asked for, and gave back */
    /* how often two calls on the host windows that Proa keeps for handles were under way at once */
    int overlaps;
    int communicators;   /* that Proa has split off and not given back */
    int groups;          /* that Proa has made and not freed */
    int tests;           /* calls of MPI_Test by Proa, which move the host's messages */
    int tests_at_once;   /* two of them on one request */
    int no_windows;      /* 1: the host makes no window on one process */
    int no_communicator; /* 1: the host splits no communicator */
};

#ifdef PROA_TEST_CHECK_H
static inline struct below *below_find(void)
{
    struct below *state = dlsym(RTLD_DEFAULT, "below_state");
    CHECK(state, "below.c is not loaded");
    return state;
}
#endif

#endif
