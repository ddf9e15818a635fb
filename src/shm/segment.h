/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments: memory in a file without a name (memfd) that its owner publishes with the file's
 * device, inode and size, and that other processes of the node find by these and map. The arena
 * (shm/arena.h) cuts its blocks from segments.
 *
 * The file stays open as long as the segment exists: a process that attaches later can open it only
 * by /proc/PID/fd, or get it from the owner's fd server (shm/fd_server.h). The program may
 * nevertheless close that descriptor and open its own file under that number. Other processes then
 * do not use that file, and existing mappings stay valid.
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
    char *base; /* NULL if not mapped as a whole */
    uint64_t bytes;
    uint64_t device, inode; /* of the file */
    int fd;                 /* the file, unless the program has closed that descriptor */
};

/* A segment of another process, as published by that process. */
struct proa_segment_name {
    uint64_t id; /* of the process */
    int pid, fd;
    uint64_t bytes, device, inode;
    uint64_t address; /* address of the owner's mapping; 0 if not mapped as a whole */
};

/* As mmap, but by a system call, so that libraries that intercept mmap do not see it. Returns the
 * address, or -1 and errno. */
static inline long proa_map_unwatched(uint64_t first, uint64_t bytes, int protection, int flags,
                                      int fd, uint64_t offset)
{
#ifdef __s390x__ /* its arguments are passed in memory */
    uint64_t arguments[] = {first,           bytes,        (uint64_t)protection,
                            (uint64_t)flags, (uint64_t)fd, offset};

    return syscall(SYS_mmap, arguments);
#else
    return syscall(SYS_mmap, first, bytes, protection, flags, fd, offset);
#endif
}

/* Reserves address space at the same offset in a large page as `like`, so that the kernel can map
 * and move large pages and whole page tables there. Returns its start, or NULL and errno. */
char *proa_room_make(uint64_t like, uint64_t bytes);

/* ---- files ---- */

/* Moves a file to a high number, away from those of the program. Returns the new number, or fd
 * itself if none is free. Programs close files by number, as daemons do with all from 3 on, or rely
 * on getting the lowest numbers for their own files. */
int proa_file_move_up(int fd);

/* Closes the file and preserves errno. */
void proa_file_close(int fd);

/* Reads the start of a file, such as one of the kernel's, and appends a NUL. room: size of text, in
 * bytes. Returns the number of bytes read, or -1 and errno. */
ssize_t proa_file_read(const char *path, char *text, size_t room);

/* Returns whether fd is still the file of this device and inode. The program may have closed it and
 * opened its own file under that number. *file: state of the file, as by fstat. */
int proa_file_is(int fd, uint64_t device, uint64_t inode, struct stat *file);

/* Enlarges the process's table of files for those numbers when the library is loaded. Later, with a
 * second thread, the kernel would wait for an RCU grace period: 12 ms. */
void proa_file_make_room(void);

/* ---- the owner's side: failures return an errno ---- */

/* Returns the size of the largest segment that may be created now, in bytes, whole chunks;
 * UINT64_MAX if there is no limit. A process that creates a file larger than RLIMIT_FSIZE receives
 * SIGXFSZ, which ends the program. */
uint64_t proa_segment_most(void);

/* Creates and maps a segment without reserving pages. wanted, least: the intended and the least
 * acceptable size, in bytes, whole chunks; a limit may forbid the former. Returns 0 or an errno;
 * EFBIG if least exceeds proa_segment_most. */
int proa_segment_create(struct proa_segment *segment, uint64_t least, uint64_t wanted);

/* Creates only the file, without pages; the caller maps the parts it needs. Returns 0 or an
 * errno. */
int proa_segment_create_file(struct proa_segment *segment, uint64_t bytes);

/* Returns whether the segment's file is still open. If not, the program has closed it and may have
 * opened its own file under that number. */
int proa_segment_is_open(const struct proa_segment *segment);

/* Unmaps the segment and closes its file. */
void proa_segment_close(const struct proa_segment *segment);

/* Reserves the pages of [offset, offset + bytes), whole chunks. Returns 0 or an errno; pages
 * allocated before a failure stay. */
int proa_segment_reserve(const struct proa_segment *segment, uint64_t offset, uint64_t bytes);

/* Returns the number of bytes that have pages; 0 if the file is closed. */
uint64_t proa_segment_touched(const struct proa_segment *segment);

/* Publishes the segment to other processes. ctl: entry in this process's table. */
void proa_segment_publish(const struct proa_segment *segment, struct proa_segment_ctl *ctl);

/* ---- the others' side ---- */

/* Returns the segment that owner has published in ctl; its bytes are 0 if there is none yet. */
struct proa_segment_name proa_segment_name(const struct proa_proc_ctl *owner,
                                           const struct proa_segment_ctl *ctl);

/* Maps whole pages of a segment. Alignments of the owner, up to the segment's size or 1 GiB, are
 * preserved here if the limit on address space permits. Returns NULL, with proa_failure() and errno
 * set, if the segment is not found or (proa_segment_is_limit) cannot be mapped here. */
char *proa_segment_map(const struct proa_segment_name *name, uint64_t offset, uint64_t bytes);

/* Returns whether this errno of a mapping stands for a limit of this process on memory or files. */
int proa_segment_is_limit(int error);

/* Returns the number of bytes that have pages; 0 if the segment is not found. */
uint64_t proa_segment_name_touched(const struct proa_segment_name *name);

/* ---- both ---- */

/* Returns whether all of [address, address + bytes) lies in the memory_bytes bytes at base.
 * *offset: offset of address from base, set if so. */
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
