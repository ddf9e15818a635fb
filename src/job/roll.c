/* SPDX-License-Identifier: BSD-3-Clause */
/* See roll.h. Uses single functions of the host: a program that creates no windows may have a host
 * that lacks others. */
#include "job/roll.h"
#include "base/patience.h"
#include "host/pmpi.h"

#include <stdlib.h>

enum { TAG = 29, NO_TELLER = -1, LOOK_NS = 50000 };

/* The longest wait for a message, and the addition for each step of the tree below the first one.
 * Ranks that have waited in vain ask for all keys, so the ranks below them have to wait a little
 * longer. */
#define PATIENCE_NS 5000000000L
#define STEP_NS 1000000000L

/* Returns the last binary digit of a rank that is 1: the numbers of its children are below it. */
static int last_digit(int rank)
{
    return rank & -rank;
}

static int teller_of(const struct proa_manager *manager, int rank)
{
    for (int ancestor = rank; ancestor > 0;) {
        ancestor -= last_digit(ancestor);
        if (proa_key_tells(proa_mark_key(manager->look(ancestor))))
            return ancestor;
    }
    return NO_TELLER;
}

/* Waits for a request. Returns 1 if it is done; 0 if it has failed or is late: a late request and
 * its bytes stay the host's. A host that waits by itself may keep the processor from the very rank
 * that it waits for. proa_wait is not used: it reads the settings, which the program may still
 * change. */
static int await(MPI_Request *request, long patience_ns)
{
    struct proa_patience patience = proa_patience_begin(patience_ns);
    int done = 0;

    while (PROA_PMPI_FIND(Test)(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
        if (done)
            return 1;
        if (proa_patience_is_over(&patience)) {
            PROA_PMPI_FIND(Request_free)(request);
            return 0;
        }
        proa_system->rest(LOOK_NS);
    }
    return 0;
}

/* Receives the roll. Returns NULL if the teller has died, or is late. Its message may still arrive,
 * so the buffer stays. */
static uint64_t *hear(int teller, int rank, int size)
{
    const int steps = __builtin_popcount((unsigned)rank) - 1;
    uint64_t *roll = malloc((size_t)size * sizeof *roll);
    MPI_Request request;

    if (roll && PROA_PMPI_FIND(Irecv)(roll, size, MPI_UINT64_T, teller, TAG, MPI_COMM_WORLD,
                                      &request) == MPI_SUCCESS)
        return await(&request, PATIENCE_NS + steps * STEP_NS) ? roll : NULL;
    free(roll);
    return NULL;
}

static uint64_t *ask_for_all(const struct proa_manager *manager, int size)
{
    uint64_t *roll = malloc((size_t)size * sizeof *roll);

    for (int i = 0; i < size && roll; i++)
        roll[i] = manager->look(i);
    return roll;
}

static void tell(int child, const uint64_t *roll, int size)
{
    MPI_Request request;

    if (PROA_PMPI_FIND(Isend)(roll, size, MPI_UINT64_T, child, TAG, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS)
        await(&request, PATIENCE_NS);
}

/* Sends to the largest part of the tree first, which takes the most further steps. The children of
 * a rank that does not send the roll are this rank's. */
static void tell_below(int rank, int first_digit, const uint64_t *roll, int size)
{
    for (int digit = first_digit; digit > 0; digit /= 2) {
        const int child = rank + digit;

        if (child >= size)
            continue;
        if (proa_key_tells(proa_mark_key(roll[child])))
            tell(child, roll, size);
        else
            tell_below(child, digit / 2, roll, size);
    }
}

static void tell_all(int rank, const uint64_t *roll, int size)
{
    int below = rank ? last_digit(rank) : 1;

    while (!rank && below < size)
        below *= 2;
    tell_below(rank, below / 2, roll, size);
}

/* A dead rank does not end the program here, as it would not without these messages. The previous
 * handler is a predefined one. */
static uint64_t *hear_and_tell(const struct proa_manager *manager, int rank, int size)
{
    const int teller = teller_of(manager, rank);
    MPI_Errhandler before = MPI_ERRORS_ARE_FATAL;
    uint64_t *roll = NULL;

    PROA_PMPI_FIND(Comm_get_errhandler)(MPI_COMM_WORLD, &before);
    PROA_PMPI_FIND(Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (teller != NO_TELLER)
        roll = hear(teller, rank, size);
    if (!roll)
        roll = ask_for_all(manager, size);
    if (roll)
        tell_all(rank, roll, size);
    PROA_PMPI_FIND(Comm_set_errhandler)(MPI_COMM_WORLD, before);
    return roll;
}

uint64_t *proa_roll_call(const struct proa_manager *manager, int rank, int size, int tells)
{
    return tells ? hear_and_tell(manager, rank, size) : ask_for_all(manager, size);
}
