/* Looking things up in an MPI_Info. */
#ifndef PROA_HOST_INFO_H
#define PROA_HOST_INFO_H

#include <mpi.h>
#include <stddef.h>

/* The key's value, cut to room bytes: 1; or 0 if the key is not there. info may be MPI_INFO_NULL. */
int proa_info_text(MPI_Info info, const char *key, char *text, int room);

/* mpi_minimum_memory_alignment, if it is a power of two; 0: not asked for. */
size_t proa_info_alignment(MPI_Info info);

#endif
