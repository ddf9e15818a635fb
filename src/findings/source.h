/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in the program: the call with a given return address. A place is plain bytes, so processes
 * can exchange places.
 *
 * Without the debugging information of the program, or without libdw, a place is a file and an
 * address in it, in the form that addr2line takes.
 */
#ifndef PROA_FINDINGS_SOURCE_H
#define PROA_FINDINGS_SOURCE_H

#include "base/hidden.h"

#include <stdint.h>
#include <stdio.h>

struct proa_source {
    char file[256];    /* source file; for line 0 the program or library; "" if unknown */
    char function[80]; /* "" if unknown */
    char binding[8];   /* language that the call is part of or passed through: "Fortran" */
    int32_t line;
    uint64_t address; /* address in the program or library */
};

/* Finds the place of a caller. caller: caller (base/calls.h), or NULL if unknown. Callable from any
 * thread. */
void proa_source_find(const void *caller, struct proa_source *place);

/* Finds the places of a caller and of the calls around it; inlined functions count as calls. most:
 * room in `places`. Returns the number of places, at least 1. Callable from any thread. */
unsigned proa_source_find_all(const void *caller, struct proa_source *places, unsigned most);

/* Returns the caller in the program: the stack from the first call outside of Proa and of the
 * libraries of an MPI. Returns NULL if it is unknown. Takes microseconds. */
const void *proa_source_caller(void);

/* As proa_source_caller, for a call in progress. caller: return address of the call, or a stack,
 * which is returned as it is. */
const void *proa_source_program(const void *caller);

/* The place of this thread's current call on a window in check mode. */
extern PROA_HIDDEN _Thread_local const void *proa_source_here PROA_INITIAL_EXEC;

/* Writes "file:line (function)" or "file+0xaddress (function)". A file below the working folder is
 * written relative to it. */
void proa_source_say(FILE *out, const struct proa_source *place);

/* Returns the file as reports name it. */
const char *proa_source_file(const struct proa_source *place);

/* The folder that paths for other programs are relative to: PROA_CHECK_ROOT, or the working folder;
 * without a final slash. */
enum { PROA_SOURCE_ROOT_BYTES = 4096 };
void proa_source_root(char root[PROA_SOURCE_ROOT_BYTES]);

/* Returns the file relative to that folder, or its full path if it is not below. */
const char *proa_source_below_root(const struct proa_source *place);

/* Returns true if both are the same place. */
int proa_source_is(const struct proa_source *one, const struct proa_source *other);

#endif
