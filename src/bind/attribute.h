/* SPDX-License-Identifier: BSD-3-Clause */
/* The predefined attributes of a window (MPI-4.1, 13.2.6): Proa's, for every language. */
#ifndef PROA_BIND_ATTRIBUTE_H
#define PROA_BIND_ATTRIBUTE_H

#include "host/handle.h"

/* 1 if keyval (as C numbers it) is a predefined one, and *value what C programs get for it: the
 * base's address, or a pointer to the value. */
int proa_attribute_find(struct proa_handle *handle, int keyval, void **value);

/* The same for Fortran: the value itself. 1 and *flag 1 if handle is a window of Proa's and keyval
 * (as C numbers it) a predefined one; else 0 and *flag 0. */
int proa_attribute_for_fortran(MPI_Win handle, int keyval, MPI_Aint *value, int *flag);

/* The host window behind a handle, for the host's own services; the handle itself if it is not
 * Proa's. */
MPI_Win proa_host_handle(MPI_Win handle);

#endif
