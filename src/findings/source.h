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
    char
        binding[8]; /* of a language, such as "Fortran", that the call is part of or went through */
    int32_t line;
    uint64_t address; /* in the program or library */
};

/* Finds the place of a caller (base/calls.h); NULL: it is not known. Safe from any thread. */
void proa_source_find(const void *caller, struct proa_source *place);

/* Finds the place of a caller, and those of the calls around it, with inlined functions as calls:
 * at most that many. Returns how many, at least 1. Safe from any thread. */
unsigned proa_source_find_all(const void *caller, struct proa_source *places, unsigned most);

/* The caller by which the program has come here: a stack from the first call outside of Proa and of
 * the libraries of an MPI. NULL: it is not known. Takes microseconds. */
const void *proa_source_caller(void);

/* The same for a call that is still under way, whose return address is known; a stack stays as it
 * is. */
const void *proa_source_program(const void *caller);

/* The place of the call on a window of check mode that this thread is in. */
extern PROA_HIDDEN _Thread_local const void *proa_source_here PROA_INITIAL_EXEC;

/* Writes "file:line (function)" or "file+0xaddress (function)". A file below the working folder is
 * named from there. */
void proa_source_say(FILE *out, const struct proa_source *place);

/* The file as it is told. */
const char *proa_source_file(const struct proa_source *place);

/* The folder at which paths for other programs begin: PROA_CHECK_ROOT, or the working folder;
 * without a slash at its end. */
enum { PROA_SOURCE_ROOT_BYTES = 4096 };
void proa_source_root(char root[PROA_SOURCE_ROOT_BYTES]);

/* The file from there on, or all of its path if it is not below. */
const char *proa_source_below_root(const struct proa_source *place);

/* Are they one place? */
int proa_source_is(const struct proa_source *one, const struct proa_source *other);

#endif
