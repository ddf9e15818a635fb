/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the program that are called with a window: they get the handle that the program
 * knows. */
#ifndef PROA_BIND_CALLBACKS_H
#define PROA_BIND_CALLBACKS_H

#include "host/handle.h"

/* Calls the window's error handler with that code. Returns the return value of
 * MPI_Win_call_errhandler. */
int proa_call_errhandler(struct proa_handle *handle, int code);

/* The form of a call from C++ to a function of its own. kind: kind of the object (MPICH's, where
 * C++ is a language of its own). */
enum { PROA_CXX_WINDOW = 2 };
typedef void proa_cxx_caller(int kind, MPI_Win *handle, int *code, void (*function)(void));

/* Called when the program has created an error handler for windows. Proa has to know it if the host
 * has light handles; without memory the host calls it. */
void proa_errhandler_made(MPI_Errhandler errhandler, MPI_Win_errhandler_function *function);

/* Called when C++ has just created one. */
void proa_errhandler_made_by_cxx(MPI_Errhandler errhandler, proa_cxx_caller *caller);

/* Called when a handler was created, by C++ or another language, that the host may call for every
 * window, because it gets the handle that the program knows. */
void proa_errhandler_made_for_host(MPI_Errhandler errhandler, int by_cxx);

/* Returns whether C++ created the handler. */
int proa_errhandler_is_cxx(MPI_Errhandler errhandler);

#endif
