/* SPDX-License-Identifier: BSD-3-Clause */
/* See syscalls.h. */
#include "traps/syscalls.h"
#include "traps/divert.h"
#include "traps/protection.h"
#include "traps/trap.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static proa_syscalls_matters *matters_to;

/* ---- one buffer of a call ---- */

struct passage {
    const void *memory, *caller;
    size_t bytes;
    int stores, is_lent, is_copy, tries;
};

static struct passage begin(const void *memory, size_t bytes, int stores, const void *caller)
{
    return (struct passage){.memory = memory,
                            .caller = caller,
                            .bytes = bytes,
                            .stores = stores,
                            .is_lent = proa_protection_lend(memory, bytes)};
}

/* Another thread may have protected the pages meanwhile. */
static int fails_again(struct passage *passage, ssize_t result)
{
    if (result >= 0 || errno != EFAULT || !passage->is_lent || passage->tries++ == 8)
        return 0;
    proa_protection_open(passage->memory, passage->bytes);
    return 1;
}

/* moved: of the bytes; 0 or less: none. */
static void end(const struct passage *passage, ssize_t moved)
{
    const int error = errno;
    const size_t bytes = moved > 0 ? (size_t)moved : 0;

    if (passage->is_lent)
        proa_protection_take_back(passage->memory, passage->bytes);
    if (bytes && (passage->is_lent || matters_to(passage->memory, bytes, passage->stores)))
        proa_trap_write_down(
            &(struct proa_trap_hit){.instruction = passage->caller,
                                    .memory = passage->memory,
                                    .bytes = bytes,
                                    .is_of_call = !passage->is_copy,
                                    .access = passage->stores ? PROA_TRAP_STORE : PROA_TRAP_LOAD});
    errno = error;
}

#define CALLER __builtin_return_address(0)

/* A function with one buffer, whose result counts the bytes that were moved. */
#define PLAIN(name, memory, bytes, stores, arguments, ...)             \
    static ssize_t our_##name(__VA_ARGS__)                             \
    {                                                                  \
        struct passage passage = begin(memory, bytes, stores, CALLER); \
        ssize_t moved;                                                 \
                                                                       \
        do                                                             \
            moved = name arguments;                                    \
        while (fails_again(&passage, moved));                          \
        end(&passage, moved);                                          \
        return moved;                                                  \
    }

PLAIN(read, memory, bytes, 1, (fd, memory, bytes), int fd, void *memory, size_t bytes)
PLAIN(write, memory, bytes, 0, (fd, memory, bytes), int fd, const void *memory, size_t bytes)
PLAIN(pread, memory, bytes, 1, (fd, memory, bytes, at), int fd, void *memory, size_t bytes,
      off_t at)
PLAIN(pwrite, memory, bytes, 0, (fd, memory, bytes, at), int fd, const void *memory, size_t bytes,
      off_t at)
PLAIN(recv, memory, bytes, 1, (fd, memory, bytes, flags), int fd, void *memory, size_t bytes,
      int flags)
PLAIN(send, memory, bytes, 0, (fd, memory, bytes, flags), int fd, const void *memory, size_t bytes,
      int flags)
PLAIN(recvfrom, memory, bytes, 1, (fd, memory, bytes, flags, from, length), int fd, void *memory,
      size_t bytes, int flags, struct sockaddr *from, socklen_t *length)
PLAIN(sendto, memory, bytes, 0, (fd, memory, bytes, flags, to, length), int fd, const void *memory,
      size_t bytes, int flags, const struct sockaddr *to, socklen_t length)

/* Of programs that were compiled with _FORTIFY_SOURCE. */
static ssize_t our_read_chk(int fd, void *memory, size_t bytes, size_t room)
{
    return our_read(fd, memory, bytes < room ? bytes : room);
}

/* ---- streams ---- */

static size_t our_fread(void *memory, size_t size, size_t count, FILE *stream)
{
    struct passage passage = begin(memory, size * count, 1, CALLER);
    const size_t moved = fread(memory, size, count, stream);

    end(&passage, (ssize_t)(moved * size));
    return moved;
}

static size_t our_fread_chk(void *memory, size_t room, size_t size, size_t count, FILE *stream)
{
    struct passage passage = begin(memory, size * count, 1, CALLER);
    const size_t moved = size * count <= room ? fread(memory, size, count, stream) : 0;

    end(&passage, (ssize_t)(moved * size));
    return moved;
}

static size_t our_fwrite(const void *memory, size_t size, size_t count, FILE *stream)
{
    struct passage passage = begin(memory, size * count, 0, CALLER);
    const size_t moved = fwrite(memory, size, count, stream);

    end(&passage, (ssize_t)(moved * size));
    return moved;
}

static char *our_fgets(char *memory, int room, FILE *stream)
{
    struct passage passage = begin(memory, room > 0 ? (size_t)room : 0, 1, CALLER);
    char *got = fgets(memory, room, stream);

    end(&passage, got ? (ssize_t)strlen(got) + 1 : 0);
    return got;
}

/* ---- copies ---- */

/* Traps would tell the first byte of each load, as these load by vectors, and of many accesses to a
 * page the first ones. */
static struct passage begin_copy(const void *memory, size_t bytes, int stores, const void *caller)
{
    struct passage passage = begin(memory, bytes, stores, caller);

    passage.is_copy = 1;
    return passage;
}

#define COPY(name, arguments, ...)                                      \
    static void *our_##name(__VA_ARGS__)                                \
    {                                                                   \
        const struct passage load = begin_copy(from, bytes, 0, CALLER), \
                             store = begin_copy(to, bytes, 1, CALLER);  \
                                                                        \
        name arguments;                                                 \
        end(&load, (ssize_t)bytes);                                     \
        end(&store, (ssize_t)bytes);                                    \
        return to;                                                      \
    }

/* Of programs that were compiled with _FORTIFY_SOURCE: these end the program where there is no
 * room. */
void *memcpy_chk(void *to, const void *from, size_t bytes, size_t room) __asm__("__memcpy_chk");
void *memmove_chk(void *to, const void *from, size_t bytes, size_t room) __asm__("__memmove_chk");
void *memset_chk(void *to, int value, size_t bytes, size_t room) __asm__("__memset_chk");

COPY(memcpy, (to, from, bytes), void *to, const void *from, size_t bytes)
COPY(memmove, (to, from, bytes), void *to, const void *from, size_t bytes)
COPY(memcpy_chk, (to, from, bytes, room), void *to, const void *from, size_t bytes, size_t room)
COPY(memmove_chk, (to, from, bytes, room), void *to, const void *from, size_t bytes, size_t room)

static void *our_memset(void *to, int value, size_t bytes)
{
    const struct passage store = begin_copy(to, bytes, 1, CALLER);

    memset(to, value, bytes);
    end(&store, (ssize_t)bytes);
    return to;
}

static void *our_memset_chk(void *to, int value, size_t bytes, size_t room)
{
    const struct passage store = begin_copy(to, bytes, 1, CALLER);

    memset_chk(to, value, bytes, room);
    end(&store, (ssize_t)bytes);
    return to;
}

/* ---- several buffers ---- */

enum { PARTS = 16 }; /* of more the rest is not opened */

struct passages {
    struct passage part[PARTS];
    int count;
};

static void begin_all(struct passages *all, const struct iovec *parts, size_t count, int stores,
                      const void *caller)
{
    all->count = count < PARTS ? (int)count : PARTS;
    for (int i = 0; i < all->count; i++)
        all->part[i] = begin(parts[i].iov_base, parts[i].iov_len, stores, caller);
}

static int any_fails_again(struct passages *all, ssize_t result)
{
    int again = 0;

    for (int i = 0; i < all->count; i++)
        again |= fails_again(&all->part[i], result);
    return again;
}

static void end_all(const struct passages *all, ssize_t moved)
{
    for (int i = 0; i < all->count; i++) {
        const ssize_t bytes = (ssize_t)all->part[i].bytes;

        end(&all->part[i], moved < bytes ? moved : bytes);
        moved = moved > bytes ? moved - bytes : 0;
    }
}

#define SEVERAL(name, parts, count, stores, arguments, ...)      \
    static ssize_t our_##name(__VA_ARGS__)                       \
    {                                                            \
        struct passages all;                                     \
        ssize_t moved;                                           \
                                                                 \
        begin_all(&all, parts, (size_t)(count), stores, CALLER); \
        do                                                       \
            moved = name arguments;                              \
        while (any_fails_again(&all, moved));                    \
        end_all(&all, moved);                                    \
        return moved;                                            \
    }

SEVERAL(readv, parts, count, 1, (fd, parts, count), int fd, const struct iovec *parts, int count)
SEVERAL(writev, parts, count, 0, (fd, parts, count), int fd, const struct iovec *parts, int count)
SEVERAL(preadv, parts, count, 1, (fd, parts, count, at), int fd, const struct iovec *parts,
        int count, off_t at)
SEVERAL(pwritev, parts, count, 0, (fd, parts, count, at), int fd, const struct iovec *parts,
        int count, off_t at)
SEVERAL(recvmsg, message->msg_iov, message->msg_iovlen, 1, (fd, message, flags), int fd,
        struct msghdr *message, int flags)
SEVERAL(sendmsg, message->msg_iov, message->msg_iovlen, 0, (fd, message, flags), int fd,
        const struct msghdr *message, int flags)

/* ---- all ---- */

#define ROW(name)                                  \
    {                                              \
#name, (const void *)(uintptr_t)our_##name \
    }
#define OTHER(other, name)                          \
    {                                               \
#other, (const void *)(uintptr_t)our_##name \
    }
static const struct proa_diversion diversions[] = {
    ROW(read),
    ROW(write),
    ROW(pread),
    OTHER(pread64, pread),
    ROW(pwrite),
    OTHER(pwrite64, pwrite),
    ROW(recv),
    ROW(send),
    ROW(recvfrom),
    ROW(sendto),
    OTHER(__read_chk, read_chk),
    ROW(fread),
    OTHER(__fread_chk, fread_chk),
    ROW(fwrite),
    ROW(fgets),
    ROW(readv),
    ROW(writev),
    ROW(preadv),
    OTHER(preadv64, preadv),
    ROW(pwritev),
    OTHER(pwritev64, pwritev),
    ROW(memcpy),
    ROW(memmove),
    ROW(memset),
    OTHER(__memcpy_chk, memcpy_chk),
    OTHER(__memmove_chk, memmove_chk),
    OTHER(__memset_chk, memset_chk),
    ROW(recvmsg),
    ROW(sendmsg),
};

void proa_syscalls_divert(proa_syscalls_matters *matters)
{
    matters_to = matters;
    proa_divert(diversions, sizeof diversions / sizeof *diversions);
}
