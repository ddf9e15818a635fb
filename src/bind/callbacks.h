/* Functions of the program that are called with a window: they get the handle that the program knows. */
#ifndef PROA_BIND_CALLBACKS_H
#define PROA_BIND_CALLBACKS_H

#include "host/window.h"

/* Calls the window's error handler with that code. What MPI_Win_call_errhandler returns. */
int proa_call_errhandler(struct proa_window *window, int code);

/* Is this error handler, of a window, a function of C++'s under MPICH? */
int proa_errhandler_is_cxx(MPI_Errhandler errhandler);

#endif
