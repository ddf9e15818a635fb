/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the program that are called with a window: they get the handle that the program
 * knows. */
#ifndef PROA_BIND_CALLBACKS_H
#define PROA_BIND_CALLBACKS_H

#include "host/handle.h"

/* Calls the window's error handler with that code. Returns what MPI_Win_call_errhandler is to
 * return. */
int proa_call_errhandler(struct proa_handle *handle, int code);

/* How C++ calls a function of its own; kind: of what object (MPICH's, where C++ is a language of
 * its own). */
enum { PROA_CXX_WINDOW = 2 };
typedef void proa_cxx_caller(int kind, MPI_Win *handle, int *code, void (*function)(void));

/* The program has made an error handler for windows. Proa has to know it if the host has light
 * handles; without memory the host calls it. */
void proa_errhandler_made(MPI_Errhandler errhandler, MPI_Win_errhandler_function *function);

/* It has been made, just before, by C++. */
void proa_errhandler_made_by_cxx(MPI_Errhandler errhandler, proa_cxx_caller *caller);

/* One has been made that the host may call for every window, as it is called with the handle that
 * the program knows: by C++, or by another language. */
void proa_errhandler_made_for_host(MPI_Errhandler errhandler, int by_cxx);

/* Has it been made by C++? */
int proa_errhandler_is_cxx(MPI_Errhandler errhandler);

#endif
