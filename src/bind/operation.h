/* The operations on a window of Proa's, by their MPI arguments: shared by the plain, the request and the large-count forms. Each raises
 * what goes wrong in the name of `call`, and returns an MPI error class. Counts are as the user gave them; negative ones are errors. */
#ifndef PROA_BIND_OPERATION_H
#define PROA_BIND_OPERATION_H

#include "bind/bind.h"

/* What is at the user's end of an operation (origin, result), and what at the target's. */
struct proa_near {
    const void *address;
    int64_t count;
    MPI_Datatype datatype;
};

struct proa_far {
    int rank;
    MPI_Aint displacement;
    int64_t count;
    MPI_Datatype datatype;
};

/* Not inlined: these are the ways off the fast path, which should not pay for them. */
int proa_do_put(struct proa_win *win, enum proa_call call, struct proa_near origin, struct proa_far target) __attribute__((noinline));
int proa_do_get(struct proa_win *win, enum proa_call call, struct proa_near origin, struct proa_far target) __attribute__((noinline));
int proa_do_accumulate(struct proa_win *win, enum proa_call call, struct proa_near origin, struct proa_far target, MPI_Op op);
int proa_do_get_accumulate(struct proa_win *win, enum proa_call call, struct proa_near origin, struct proa_near result, struct proa_far target,
                           MPI_Op op);

#endif
