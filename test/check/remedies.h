/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong programs, and the same ones with the remedy applied that check mode proposes. */
#ifndef PROA_TEST_REMEDIES_H
#define PROA_TEST_REMEDIES_H

#include "cases.h"

/* A wrong program, and its remedy. */
struct ill {
    const char *name;
    void (*run)(
        int applied);   /* 0: as it is; 1, 2 and so on: that one of the proposals is applied */
    int proposals;      /* how many the sentence has */
    int is_local;       /* of loads and stores, which --check=memory sees */
    const char *remedy; /* the sentence */
};

/* By what they break; each list ends with one without a name. */
extern const struct ill ill_accesses[], ill_loads[], ill_uses[];

/* Orders these ranks by means that check mode does not see: `after` returns when `before` has come
 * to its call. All ranks call it. */
void order_unseen(int before, int after);

/* A group of the window's ranks; the caller frees it. */
MPI_Group ranks_of(int count, const int *ranks);

/* Gives another window the name of this one. */
void name_as_this(MPI_Win other);

#endif
