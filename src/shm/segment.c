/* SPDX-License-Identifier: BSD-3-Clause */
/* See segment.h. */
#include "shm/segment.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "shm/fd_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* Mappings of at least huge_from bytes begin at a large page. They get large pages if the system
 * permits them for files in memory (shmem_enabled). Then the processor translates an address in a
 * GiB in half the time. A smaller mapping would waste most of a page. */
static const uint64_t huge_from = 128ull << 20, huge_page = 2ull << 20;

/* an owner's file, in its table of files */
#define PROC_FILE "/proc/%d/fd/%d"
enum { PATH_ROOM = 64 };

/* the lowest number of our files, if the process may have twice as many files */
static const rlim_t high_file = 1000;

/* ---- mapping, by all ---- */

/* Reserves address space that is congruent to `like`. unit: the modulus, a power of two. */
static char *room_make(uint64_t like, uint64_t bytes, uint64_t unit)
{
    uint64_t front,
        room = (uint64_t)proa_map_unwatched(0, bytes + unit, PROT_NONE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (room == UINT64_MAX)
        return NULL;
    front = (like - room) % unit;
    if (front)
        syscall(SYS_munmap, room, front);
    syscall(SYS_munmap, room + front + bytes, unit - front);
    return (char *)(uintptr_t)(room + front);
}

char *proa_room_make(uint64_t like, uint64_t bytes)
{
    return room_make(like, bytes, huge_page);
}

/* Returns the largest power of two, up to 1 GiB, that fits into a segment of this size. */
static uint64_t unit_of(uint64_t bytes)
{
    const uint64_t most = 1 << 30;

    return bytes < most ? (uint64_t)1 << (63 - __builtin_clzll(bytes)) : most;
}

/* like: the address in the owner; 0 for any. Returns the mapping, or MAP_FAILED and errno. */
static char *map(int fd, uint64_t offset, uint64_t bytes, uint64_t like)
{
    char *room = like ? room_make(like, bytes, unit_of(bytes)) : NULL, *base;
    int error;

    if (!room && bytes >= huge_from)
        room = proa_room_make(0, bytes);
    base = mmap(room, bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_NORESERVE | (room ? MAP_FIXED : 0), fd, (off_t)offset);
    error = errno;
    if (room && base == MAP_FAILED)
        munmap(room, bytes);
    else if (bytes >= huge_from)
        madvise(base, bytes, MADV_HUGEPAGE);
    errno = error;
    return base;
}

/* ---- files ---- */

int proa_file_move_up(int fd)
{
    struct rlimit files;
    rlim_t lowest = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur / 2 < high_file
                        ? files.rlim_cur / 2
                        : high_file;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, (int)lowest);

    if (high < 0)
        return fd;
    close(fd);
    return high;
}

void proa_file_make_room(void)
{
    int fd = open("/", O_PATH | O_CLOEXEC);

    if (fd >= 0)
        close(proa_file_move_up(fd));
}

void proa_file_close(int fd)
{
    int error = errno;

    close(fd);
    errno = error;
}

ssize_t proa_file_read(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, room - 1) : -1;

    if (fd >= 0)
        proa_file_close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length;
}

int proa_file_is(int fd, uint64_t device, uint64_t inode, struct stat *file)
{
    return fstat(fd, file) == 0 && file->st_dev == device && file->st_ino == inode;
}

/* ---- the owner's file ---- */

int proa_segment_is_open(const struct proa_segment *segment)
{
    struct stat file;

    return proa_file_is(segment->fd, segment->device, segment->inode, &file);
}

uint64_t proa_segment_most(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_FSIZE, &files) != 0 || files.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return files.rlim_cur / PROA_CHUNK_BYTES * PROA_CHUNK_BYTES;
}

int proa_segment_create_file(struct proa_segment *segment, uint64_t bytes)
{
    struct stat file;
    int fd = memfd_create("proa", MFD_CLOEXEC);

    if (fd < 0)
        return errno;
    fd = proa_file_move_up(fd);
    if (ftruncate(fd, (off_t)bytes) != 0 || fstat(fd, &file) != 0) {
        proa_file_close(fd);
        return errno;
    }
    *segment = (struct proa_segment){
        .bytes = bytes, .device = file.st_dev, .inode = file.st_ino, .fd = fd};
    return 0;
}

static int create(struct proa_segment *segment, uint64_t bytes)
{
    int error = proa_segment_create_file(segment, bytes);

    if (error)
        return error;
    segment->base = map(segment->fd, 0, bytes, 0);
    if (segment->base != MAP_FAILED)
        return 0;
    proa_file_close(segment->fd);
    return errno;
}

int proa_segment_create(struct proa_segment *segment, uint64_t least, uint64_t wanted)
{
    uint64_t most = proa_segment_most(), bytes = wanted < most ? wanted : most;
    int error = least > most ? EFBIG : create(segment, bytes < least ? least : bytes);

    if (error && bytes > least) /* a limit on address space, perhaps */
        error = create(segment, least);
    return error;
}

void proa_segment_close(const struct proa_segment *segment)
{
    if (segment->base)
        munmap(segment->base, segment->bytes);
    if (proa_segment_is_open(segment))
        close(segment->fd);
}

/* ---- its pages ---- */

/* If the file is closed, the pages are reserved through the mapping. That takes longer, as it also
 * fills in this process's page table. A signal may make fallocate stop and undo its work
 * (fallocate(2), EINTR). Under a profiler's timer a large piece would never complete, so the pieces
 * are halved, down to a page if pages are slow to allocate. */
int proa_segment_reserve(const struct proa_segment *segment, uint64_t offset, uint64_t bytes)
{
    const uint64_t page = proa_page_bytes();
    uint64_t end = offset + bytes, piece = bytes;

    if (!proa_segment_is_open(segment)) {
        while (madvise(segment->base + offset, bytes, MADV_POPULATE_WRITE) != 0)
            if (errno != EINTR) /* pages allocated by now take no time in the next call */
                return errno;
        return 0;
    }
    while (offset < end) {
        if (piece > end - offset)
            piece = end - offset;
        if (fallocate(segment->fd, 0, (off_t)offset, (off_t)piece) == 0)
            offset += piece;
        else if (errno != EINTR)
            return errno;
        else if (piece > page) /* half of it, in whole pages */
            piece = (piece / 2 + page - 1) / page * page;
    }
    return 0;
}

uint64_t proa_segment_touched(const struct proa_segment *segment)
{
    struct stat file;

    return proa_file_is(segment->fd, segment->device, segment->inode, &file)
               ? (uint64_t)file.st_blocks * 512
               : 0;
}

/* ---- from process to process ---- */

void proa_segment_publish(const struct proa_segment *segment, struct proa_segment_ctl *ctl)
{
    ctl->address = (uint64_t)(uintptr_t)segment->base;
    ctl->device = segment->device;
    ctl->inode = segment->inode;
    ctl->fd = segment->fd;
    /* partner: proa_segment_name */
    proa_atomic_store(&ctl->bytes, segment->bytes, PROA_RELEASE);
}

struct proa_segment_name proa_segment_name(const struct proa_proc_ctl *owner,
                                           const struct proa_segment_ctl *ctl)
{
    struct proa_segment_name name = {.id = owner->id,
                                     .pid = owner->pid,
                                     /* partner: publish */
                                     .bytes = proa_atomic_load(&ctl->bytes, PROA_ACQUIRE)};

    if (name.bytes) {
        name.fd = ctl->fd;
        name.device = ctl->device;
        name.inode = ctl->inode;
        name.address = ctl->address;
    }
    return name;
}

static int is_it(const struct stat *file, const struct proa_segment_name *name)
{
    return file->st_dev == name->device && file->st_ino == name->inode &&
           (uint64_t)file->st_size >= name->bytes;
}

/* Returns fd if it is the segment's file. Otherwise closes it and returns -1 and errno. */
static int file_check(int fd, const struct proa_segment_name *name)
{
    struct stat file;

    if (fd < 0 || (fstat(fd, &file) == 0 && is_it(&file, name)))
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}

/* Opens the segment's file by /proc, or requests it from the owner's fd server. If both fail, errno
 * is that of /proc. The program may have closed the file, and its number may now be of another
 * file. That file is not opened, as opening a pipe or a tape has side effects. The file is checked
 * again when open, since numbers may change at any time. */
static int file_get(const struct proa_segment_name *name, const char *path)
{
    struct stat file;
    int fd = -1, error;

    if (stat(path, &file) == 0) {
        errno = ESTALE;
        if (is_it(&file, name))
            fd = file_check(open(path, O_RDWR | O_CLOEXEC), name);
    }
    error = errno;
    if (fd < 0) {
        fd = file_check(proa_fd_server_ask(name), name);
        errno = error;
    }
    return fd;
}

uint64_t proa_segment_name_touched(const struct proa_segment_name *name)
{
    char path[PATH_ROOM];
    struct stat file;
    int fd;

    snprintf(path, sizeof path, PROC_FILE, name->pid, name->fd);
    if (stat(path, &file) != 0) {
        fd = proa_fd_server_ask(name);
        if (fd < 0 || fstat(fd, &file) != 0)
            return 0;
        close(fd);
    }
    return is_it(&file, name) ? (uint64_t)file.st_blocks * 512 : 0;
}

int proa_segment_is_limit(int error)
{
    return error == ENOMEM || error == EMFILE || error == ENFILE;
}

/* The owner has mapped the whole segment, so no access within it can fault for lack of a page. */
char *proa_segment_map(const struct proa_segment_name *name, uint64_t offset, uint64_t bytes)
{
    char path[PATH_ROOM], *base = MAP_FAILED;
    int fd, error;

    snprintf(path, sizeof path, PROC_FILE, name->pid, name->fd);
    fd = file_get(name, path);
    if (fd >= 0) {
        base = map(fd, offset, bytes, name->address ? name->address + offset : 0);
        proa_file_close(fd);
    }
    if (base != MAP_FAILED)
        return base;
    error = errno;
    proa_fail(PROA_ERR_OTHER, "cannot map memory of process %d (%s): %s", name->pid, path,
              error == ESTALE || error == ENOENT
                  ? "it has ended, or its program has closed Proa's file"
                  : strerror(error));
    errno = error;
    return NULL;
}
