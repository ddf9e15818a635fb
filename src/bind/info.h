/* The info keys of the chapter that a call has to look at. */
#ifndef PROA_BIND_INFO_H
#define PROA_BIND_INFO_H

#include <mpi.h>
#include <stddef.h>

/* 1 if the key is there and "true". info may be MPI_INFO_NULL. */
int proa_info_true(MPI_Info info, const char *key);

/* The key's number, or fallback if it is not there or no number. */
long proa_info_number(MPI_Info info, const char *key, long fallback);

/* mpi_minimum_memory_alignment, if it is a power of two; 0: not asked for. */
size_t proa_info_alignment(MPI_Info info);

#endif
