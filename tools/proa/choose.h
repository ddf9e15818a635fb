/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which MPI a command line is for. */
#ifndef PROA_TOOL_CHOOSE_H
#define PROA_TOOL_CHOOSE_H

#include "line.h"

struct proa_choice {
    struct proa_line line; /* read with the options of line.host */
    /* the host's library that a program is linked to, or NULL if unknown */
    const char *mpi_library;
    const struct proa_host *mpi_host; /* host of that library: another one, if both share an ABI */
    const char *sanitizers; /* runtimes that the programs need, separated by colons, or NULL */
};

typedef struct proa_line proa_line_reader(const struct proa_host *host, char *const *args);

/* Chooses for the words that `read` parses. Returns 0 and a choice, or the exit status after a
 * message on stderr. A line that asks for help is not examined further. */
int proa_choose(char *const *args, proa_line_reader *read, struct proa_choice *choice);

/* Returns the libraries that ranks preload, separated by colons. Sanitizers are first, as they must
 * precede all others, then Proa's library. If the program would load another MPI's library with the
 * same ABI, the library of the chosen host is added. Returns NULL, after a message on stderr, if
 * one is missing. */
const char *proa_choice_libraries(const struct proa_choice *choice);

#endif
