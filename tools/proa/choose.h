/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which MPI a command line is for. */
#ifndef PROA_TOOL_CHOOSE_H
#define PROA_TOOL_CHOOSE_H

#include "line.h"

struct proa_choice {
    struct proa_line line; /* read as the options of line.host */
    /* the host's library that a program is linked to, or NULL where none tells */
    const char *mpi_library;
    const struct proa_host *mpi_host; /* whose that is: another's, where both have one ABI */
    const char *sanitizers; /* the runtimes that the programs need, with colons between, or NULL */
};

/* Gives 0 and a choice, or the exit status after a line on stderr. A line that asks for help is not
 * looked at further. */
int proa_choose(char *const *args, struct proa_choice *choice);

#endif
