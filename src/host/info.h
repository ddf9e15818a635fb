/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking things up in an MPI_Info. */
#ifndef PROA_HOST_INFO_H
#define PROA_HOST_INFO_H

#include <mpi.h>
#include <stddef.h>

/* The key's value: 1; or 0 if the key is not there, or its value does not fit into that many bytes
 * (then it is none that Proa knows). info may be MPI_INFO_NULL. */
int proa_info_text(MPI_Info info, const char *key, char *text, int room);

/* mpi_minimum_memory_alignment, if it is a power of two; 0: not asked for. */
size_t proa_info_alignment(MPI_Info info);

#endif
