/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands for a host of MPI-5.1: functions of the draft that only count their calls, for
 * notify_future.c. They look at no arguments. */
#include <mpi.h>

static int calls;

int notify_future_calls(void);
int notify_future_calls(void)
{
    return calls;
}

#define HOST(name)          \
    int PMPI_##name(void);  \
    int PMPI_##name(void)   \
    {                       \
        calls++;            \
        return MPI_SUCCESS; \
    }                       \
    extern __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)))

HOST(Win_set_num_notify);
HOST(Win_get_notify_value);
HOST(Win_reset_notify_value);
HOST(Win_notify_ithreshold);
HOST(Put_notify);
HOST(Rput_notify_c);
