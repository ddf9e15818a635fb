/* SPDX-License-Identifier: BSD-3-Clause */
/* See roll.h. By single functions of the host: a program that makes no windows may have a host that
 * lacks others. */
#include "job/roll.h"
#include "host/pmpi.h"

#include <time.h>

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

/* A host that waits by itself may keep the processor from the very rank that it waits for. Not
 * proa_wait: it reads the settings, which the program may still make. */
int proa_roll_hear(int teller, char *roll, int size)
{
    const struct timespec pause = {.tv_nsec = 50000};
    MPI_Request request;
    int done = 0, error;

    error = PROA_PMPI_FIND(Irecv)(roll, size, MPI_BYTE, teller, TAG, MPI_COMM_WORLD, &request);
    while (error == MPI_SUCCESS) {
        error = PROA_PMPI_FIND(Test)(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            break;
        nanosleep(&pause, NULL);
    }
    return error == MPI_SUCCESS;
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
