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

typedef struct proa_line proa_line_reader(const struct proa_host *host, char *const *args);

/* Gives 0 and a choice for the words that `read` takes apart, or the exit status after a line on
 * stderr. A line that asks for help is not looked at further. */
int proa_choose(char *const *args, proa_line_reader *read, struct proa_choice *choice);

/* The libraries that ranks load before all others, with colons between: Proa's library; where the
 * program would get the library of another MPI with the same ABI, that of the one that it is run
 * by; and in front the sanitizers, which refuse to start behind others. NULL, after a line on
 * stderr, where one is missing. */
const char *proa_choice_libraries(const struct proa_choice *choice);

#endif
