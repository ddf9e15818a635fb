/* SPDX-License-Identifier: BSD-3-Clause */
/* The kind of a program: the MPI that it is linked to, or the reason why that is unknown. */
#ifndef PROA_TOOL_PROGRAM_H
#define PROA_TOOL_PROGRAM_H

#include "host.h"

enum proa_program_kind {
    PROA_PROGRAM_LINKED,    /* linked to the MPI `host` by the library `detail` */
    PROA_PROGRAM_OTHER_MPI, /* linked to an MPI that Proa has no library for: `detail` */
    PROA_PROGRAM_NO_MPI,    /* linked to no MPI */
    PROA_PROGRAM_SCRIPT,    /* script for the interpreter `detail` */
    PROA_PROGRAM_STATIC,    /* static: nothing can be preloaded */
    PROA_PROGRAM_FOREIGN,   /* for another machine type, or no program */
};

struct proa_program {
    enum proa_program_kind kind;
    const struct proa_host *host;
    const char *detail;
    const char *sanitizers; /* linked sanitizer runtimes, separated by colons, or NULL */
};

/* Examines the file at `path` without running it: the loader that it names lists its shared
 * libraries. */
struct proa_program proa_program_inspect(const char *path);

/* Returns true if the file at `path`, which a process has mapped, is an MPI's library. *program: as
 * for a program that is linked to it. */
bool proa_program_inspect_mapped(const char *path, struct proa_program *program);

/* As proa_program_inspect for a shared library, by this command's own loader. */
struct proa_program proa_program_inspect_library(const char *path);

#endif
