/* SPDX-License-Identifier: BSD-3-Clause */
/* See roll.h. By single functions of the host: a program that makes no windows may have a host that
 * lacks others. */
#include "job/roll.h"
#include "base/wait.h"
#include "host/pmpi.h"

enum { TAG = 29 };

/* The last binary digit of a rank that is 1: its children's numbers lie below it. */
static int last_digit(int rank)
{
    return rank & -rank;
}

int proa_roll_teller(const struct proa_manager *manager, int rank)
{
    for (int ancestor = rank; ancestor > 0;) {
        ancestor -= last_digit(ancestor);
        if (manager->look(ancestor) == PROA_KEY_TELLS)
            return ancestor;
    }
    return -1;
}

/* A host that waits by itself may keep the processor from the very rank that it waits for. */
struct message {
    MPI_Request request;
    int error;
};

static int has_come(void *arg)
{
    struct message *message = arg;
    int done = 0;

    message->error = PROA_PMPI_FIND(Test)(&message->request, &done, MPI_STATUS_IGNORE);
    return done || message->error != MPI_SUCCESS;
}

int proa_roll_hear(int teller, char *roll, int size)
{
    struct message message;

    message.error =
        PROA_PMPI_FIND(Irecv)(roll, size, MPI_BYTE, teller, TAG, MPI_COMM_WORLD, &message.request);
    if (message.error == MPI_SUCCESS)
        proa_wait(has_come, &message, NULL);
    return message.error == MPI_SUCCESS;
}

/* The largest part of the tree first: it takes the most further steps. The children of a rank that
 * tells nothing are this rank's. */
static void tell_below(int rank, int first_digit, const char *roll, int size)
{
    for (int digit = first_digit; digit > 0; digit /= 2) {
        const int child = rank + digit;

        if (child >= size)
            continue;
        if (roll[child] == PROA_KEY_TELLS)
            PROA_PMPI_FIND(Send)(roll, size, MPI_BYTE, child, TAG, MPI_COMM_WORLD);
        else
            tell_below(child, digit / 2, roll, size);
    }
}

void proa_roll_tell(int rank, const char *roll, int size)
{
    int below = rank ? last_digit(rank) : 1;

    while (!rank && below < size)
        below *= 2;
    tell_below(rank, below / 2, roll, size);
}
