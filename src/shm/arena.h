/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: memory of this process that every process of the node can map.
 *
 * It consists of few segments (shm/segment.h) of growing size (64 MiB, then at least twice the one
 * before; never more than a limit on the size of files, RLIMIT_FSIZE, allows at that moment). A
 * segment is mapped whole by its owner and, on first use, by peers. Pages come when they are
 * touched first. The arena checks the available memory before it gives out a block; bytes given out
 * but not touched yet, here and by the known peers, are subtracted. Only where the kernel itself
 * promises no more than it has are the pages reserved at once, as a missing page would mean SIGBUS.
 * The unused rest of a segment costs nothing. Ten thousand windows therefore share a handful of
 * files and mappings. The table of blocks is private to the owner: no peer, and no stray store of
 * the user, can damage it.
 */
#ifndef PROA_SHM_ARENA_H
#define PROA_SHM_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct proa_proc_ctl;

/* Creates the first segment with the process's control block at its start (zeroed). Returns it, or
 * NULL with proa_failure() set. */
struct proa_proc_ctl *proa_arena_start(void);

/* Unmaps all segments and closes their files. */
void proa_arena_stop(void);

/* A block of at least max(bytes, 1) bytes, aligned to align (a power of two, at least 64 is used).
 * NULL, with proa_failure() set, when the memory is not available. Not zeroed. */
void *proa_arena_alloc(size_t bytes, size_t align);

/* After proa_arena_alloc has failed for that many bytes: is it only because a limit on the size
 * of files (RLIMIT_FSIZE) keeps segments small? Then there is memory, but none that could be
 * shared. */
int proa_arena_is_limited(size_t bytes);

/* Gives back all of a block behind its first `bytes` bytes, if the bookkeeping finds memory. */
void proa_arena_shrink(void *p, size_t bytes);

/* Gives a block back. Returns 1, or 0 if p is not the start of a block of this arena. */
int proa_arena_free(void *p);

/* Finds the segment that holds all of [address, address + bytes): 1 and *segment, *offset; or 0. */
int proa_arena_find(const void *address, size_t bytes, int *segment, uint64_t *offset);

#endif
