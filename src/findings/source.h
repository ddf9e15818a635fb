/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in the program: the call with a given return address. A place is plain bytes, so processes
 * can show theirs to one another.
 *
 * Without the debugging information of the program, or without libdw, a place is a file and an
 * address in it, as addr2line takes them.
 */
#ifndef PROA_FINDINGS_SOURCE_H
#define PROA_FINDINGS_SOURCE_H

#include "base/hidden.h"

#include <stdint.h>
#include <stdio.h>

struct proa_source {
    char file[256];    /* of the source; for line 0: of the program or library; "": not known */
    char function[80]; /* "": not known */
    int32_t line;
    uint64_t address; /* in the program or library */
};

/* Finds the place of a call with this return address; NULL: it is not known. Safe from any
 * thread. */
void proa_source_find(const void *caller, struct proa_source *place);

/* The return address of the call by which the program has come here: the first on the stack outside
 * of Proa and of the libraries of an MPI; NULL: it is not known. Takes microseconds. */
const void *proa_source_caller(void);

/* The same for a call of now, whose return address is known: that one, unless it lies in a library
 * of an MPI, such as that of its Fortran. */
const void *proa_source_program(const void *caller);

/* The place of the call on a window of check mode that this thread is in. */
extern PROA_HIDDEN _Thread_local const void *proa_source_here PROA_INITIAL_EXEC;

/* Writes "file:line (function)" or "file+0xaddress (function)". A file below the working folder is
 * named from there. */
void proa_source_say(FILE *out, const struct proa_source *place);

/* The file as it is told. */
const char *proa_source_file(const struct proa_source *place);

/* Are they one place? */
int proa_source_is(const struct proa_source *one, const struct proa_source *other);

#endif
