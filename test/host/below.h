/* SPDX-License-Identifier: BSD-3-Clause */
/* What below.c, which stands between Proa and the host, lets a program see and do. In the program:
 * below_find(). */
#ifndef PROA_TEST_BELOW_H
#define PROA_TEST_BELOW_H

struct below {
    int makes, frees; /* host windows that Proa asked for, and gave back */
    /* how often two calls on the host windows that Proa keeps for handles were under way at once */
    int overlaps;
    int communicators;   /* that Proa has split off and not given back */
    int no_windows;      /* 1: the host makes no window on one process */
    int no_communicator; /* 1: the host splits no communicator */
};

#endif
