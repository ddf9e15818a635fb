/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: memory of this process that every process of the node can map.
 *
 * It consists of a few segments (shm/segment.h) of growing size: 64 MiB, then at least twice the
 * previous one, but never more than RLIMIT_FSIZE, the limit on the size of files, allows at that
 * moment. A segment is mapped whole by its owner and, on first use, by peers. Pages are allocated
 * on first touch. The arena checks the available memory before it gives out a block; bytes given
 * out but not touched yet, here and by the known peers, are subtracted. Pages are reserved at once
 * only if the kernel promises no more memory than it has, as a missing page would mean SIGBUS. The
 * unused rest of a segment takes no memory. Ten thousand windows therefore share a handful of files
 * and mappings. The table of blocks is private to the owner: no peer, and no stray store of the
 * user, can damage it.
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

/* Returns a block of at least max(bytes, 1) bytes, not zeroed. align: alignment, a power of two; at
 * least 64 is used. Returns NULL, with proa_failure() set, if the memory is not available. */
void *proa_arena_alloc(size_t bytes, size_t align);

/* Called after proa_arena_alloc failed for that many bytes. Returns whether the only reason was
 * RLIMIT_FSIZE, the limit on the size of files, which keeps segments small. Then there is memory,
 * but none that can be shared. */
int proa_arena_is_limited(size_t bytes);

/* Frees all of a block after its first `bytes` bytes, if there is memory for the bookkeeping. */
void proa_arena_shrink(void *p, size_t bytes);

/* Frees a block. Returns 1, or 0 if p is not the start of a block of this arena. */
int proa_arena_free(void *p);

/* Finds the segment that holds all of [address, address + bytes). Returns 1, with *segment and
 * *offset, or 0. */
int proa_arena_find(const void *address, size_t bytes, int *segment, uint64_t *offset);

#endif
