/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments: memory in a file without a name (memfd) that its owner publishes with the file's
 * device, inode and size, and that other processes of the node find by these and map. The arena
 * (shm/arena.h) cuts its blocks from segments.
 *
 * The file stays open as long as the segment exists: a process that attaches later can open it only
 * by /proc/PID/fd, or get it at the owner's fd server (shm/fd_server.h). The program may close that
 * descriptor all the same and open a file of its own under its number. Processes leave that file
 * alone then, and existing mappings stay valid.
 */
#ifndef PROA_SHM_SEGMENT_H
#define PROA_SHM_SEGMENT_H

#include "shm/ctl.h"

#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROA_CHUNK_BYTES = 256 << 10 }; /* unit in which pages are reserved and given back */

static inline uint64_t proa_page_bytes(void)
{
    return (uint64_t)getpagesize();
}

static inline uint64_t proa_page_below(uint64_t address)
{
    return address / proa_page_bytes() * proa_page_bytes();
}

static inline uint64_t proa_page_above(uint64_t address)
{
    return proa_page_below(address + proa_page_bytes() - 1);
}

/* A segment of this process. */
struct proa_segment {
    char *base; /* NULL: not mapped as a whole */
    uint64_t bytes;
    uint64_t device, inode; /* of the file */
    int fd;                 /* it, unless the program has closed that number */
};

/* A segment of another process, as it tells of it. */
struct proa_segment_name {
    uint64_t id; /* of the process */
    int pid, fd;
    uint64_t bytes, device, inode;
    uint64_t address; /* where the owner has it; 0: not as a whole */
};

/* As mmap, by a system call: libraries that watch the program's mappings need not learn of it. -1
 * and errno. */
static inline long proa_map_unwatched(uint64_t first, uint64_t bytes, int protection, int flags,
                                      int fd, uint64_t offset)
{
#ifdef __s390x__ /* its arguments lie in memory */
    uint64_t arguments[] = {first,           bytes,        (uint64_t)protection,
                            (uint64_t)flags, (uint64_t)fd, offset};

    return syscall(SYS_mmap, arguments);
#else
    return syscall(SYS_mmap, first, bytes, protection, flags, fd, offset);
#endif
}

/* Address space that nothing else gets, as far behind the start of a large page as `like`: the
 * kernel maps and moves large pages and whole page tables there. NULL and errno. */
char *proa_room_make(uint64_t like, uint64_t bytes);

/* ---- files ---- */

/* Moves a file to a high number, out of the way of the program's. Returns the new number, or fd
 * itself where none is free. Programs close files by number, as daemons do with all from 3 on, or
 * count on getting the lowest numbers for files of their own. */
int proa_file_move_up(int fd);

/* Closes it, and leaves errno as it is. */
void proa_file_close(int fd);

/* Reads the start of a file, such as one of the kernel's: the number of bytes, with a NUL behind
 * them, for which there is room; -1 and errno. */
ssize_t proa_file_read(const char *path, char *text, size_t room);

/* Is fd still the file of this device and inode? The program may have closed it, and have one of
 * its own under that number. *file: its state, as of fstat. */
int proa_file_is(int fd, uint64_t device, uint64_t inode, struct stat *file);

/* When the library is loaded: the process's table of files gets room for those numbers. Later, with
 * a second thread, the kernel waits for a grace period of its own to do so: 12 ms. */
void proa_file_make_room(void);

/* ---- the owner's side: failures return an errno ---- */

/* The largest segment that may be made now, in whole chunks; UINT64_MAX: no limit. A process that
 * makes a file larger than RLIMIT_FSIZE is sent SIGXFSZ, which ends the program. */
uint64_t proa_segment_most(void);

/* Makes and maps one of `wanted` bytes, with no pages reserved; where a limit forbids that, a
 * smaller one, of `least` bytes at least. Both in whole chunks. 0 or an errno; EFBIG: more than
 * proa_segment_most. */
int proa_segment_create(struct proa_segment *segment, uint64_t least, uint64_t wanted);

/* Makes only the file, with no pages in it: the caller maps what it needs. 0 or an errno. */
int proa_segment_create_file(struct proa_segment *segment, uint64_t bytes);

/* Has the program left its file alone? If not, that number may be one of the program's own. */
int proa_segment_is_open(const struct proa_segment *segment);

/* Unmaps it and closes its file. */
void proa_segment_close(const struct proa_segment *segment);

/* Reserves the pages of [offset, offset + bytes), whole chunks. 0 or an errno; pages that the
 * kernel gave before it ran out stay. */
int proa_segment_reserve(const struct proa_segment *segment, uint64_t offset, uint64_t bytes);

/* How many bytes of it have pages; 0 if its file is gone. */
uint64_t proa_segment_touched(const struct proa_segment *segment);

/* Publishes the segment to other processes. ctl: an entry of our own process's table. */
void proa_segment_publish(const struct proa_segment *segment, struct proa_segment_ctl *ctl);

/* ---- the others' side ---- */

/* The segment that owner has published in ctl. bytes 0: none yet. */
struct proa_segment_name proa_segment_name(const struct proa_proc_ctl *owner,
                                           const struct proa_segment_ctl *ctl);

/* Maps whole pages of it. What is aligned at the owner, to no more than the segment's size or 1
 * GiB, is aligned here, if the limit on address space leaves room for that. NULL, with
 * proa_failure() and errno set, if it is not to be found, or (proa_segment_is_limit) cannot be
 * mapped here. */
char *proa_segment_map(const struct proa_segment_name *name, uint64_t offset, uint64_t bytes);

/* Is this errno, of mapping, for a limit of this process, on memory or files? */
int proa_segment_is_limit(int error);

/* How many bytes of it have pages; 0 if it is not to be found. */
uint64_t proa_segment_name_touched(const struct proa_segment_name *name);

/* ---- both ---- */

/* Does all of [address, address + bytes) lie in the memory_bytes bytes at base? If so, *offset: of
 * address from there. */
static inline int proa_segment_holds(const char *base, uint64_t memory_bytes, const void *address,
                                     uint64_t bytes, uint64_t *offset)
{
    uint64_t at = (uint64_t)((uintptr_t)address - (uintptr_t)base);

    if (!base || at >= memory_bytes || bytes > memory_bytes - at)
        return 0;
    *offset = at;
    return 1;
}

#endif
