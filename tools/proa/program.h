/* SPDX-License-Identifier: BSD-3-Clause */
/* The kind of a program: which MPI it is linked to, or why that cannot be seen. */
#ifndef PROA_TOOL_PROGRAM_H
#define PROA_TOOL_PROGRAM_H

#include "host.h"

enum proa_program_kind {
    PROA_PROGRAM_LINKED,    /* to the MPI `host` by the library `detail` */
    PROA_PROGRAM_OTHER_MPI, /* to an MPI that Proa has no library for: `detail` */
    PROA_PROGRAM_NO_MPI,    /* to no MPI */
    PROA_PROGRAM_SCRIPT,    /* for the interpreter `detail` */
    PROA_PROGRAM_STATIC,    /* nothing can be preloaded into it */
    PROA_PROGRAM_FOREIGN,   /* not of this kind of machine, or no program */
};

struct proa_program {
    enum proa_program_kind kind;
    const struct proa_host *host;
    const char *detail;
    const char *sanitizers; /* the runtimes that it is linked to, with colons between; NULL: none */
};

/* Looks into the file at `path`, and runs nothing of it: its shared libraries are listed by the
 * loader that it names. */
struct proa_program proa_program_inspect(const char *path);

/* Is the file at `path`, which a process has mapped, an MPI's? Then *program is what a program
 * would be that is linked to it. */
bool proa_program_inspect_mapped(const char *path, struct proa_program *program);

/* As proa_program_inspect of a shared library, by the loader that this command has. */
struct proa_program proa_program_inspect_library(const char *path);

#endif
