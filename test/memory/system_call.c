/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of rank 0 whose system calls store into memory (from a file, a pipe, a socket, the
 * kernel's random numbers) while hundreds of windows are made and freed there: beside the window,
 * in the pages where it begins and ends, and inside it. No call fails, and what it has stored is
 * there.
 *
 * To an ordinary user the kernel tells faults of its own by userfaultfd only if it is set so: a
 * call that meets a page which is being moved fails with EFAULT where it is not.
 *
 *   system_call late | early
 *
 * early: the thread is there before MPI_Init, as those of the host never are.
 */
#include "memory.h"
#include <pthread.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { windows = 200, record_bytes = 256 };

enum call { PREAD, PIPE, RANDOM, RECEIVE, ncalls };

static const char *const call_names[ncalls] = {"pread", "read of a pipe", "getrandom", "recvmsg"};

enum place { HEAD, INSIDE, TAIL, nplaces };

static const char *const place_names[nplaces] = {"in the page where the window begins",
                                                 "inside the window",
                                                 "in the page where the window ends"};

struct tally {
    long calls, failed, lost;
    int error;
};

static struct room room;
static int file, ends[2], sockets[2], is_on, is_idle, is_over;
static unsigned char record[record_bytes]; /* of the file and of the pipe: never 0 */
static struct tally tallies[ncalls][nplaces];

static char *place_at(enum place place)
{
    return place == HEAD ? room.head : place == TAIL ? room.tail : room.inside;
}

/* Waits in the kernel for what the sender sends, which knows of the memory by a vector alone. */
static ssize_t receive(void *to)
{
    struct iovec vector = {to, record_bytes};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    return recvmsg(sockets[0], &message, 0);
}

/* One call; the number of bytes stored. */
static ssize_t make_call(enum call call, void *to)
{
    if (call == PREAD)
        return pread(file, to, record_bytes, 0);
    if (call == RANDOM)
        return getrandom(to, record_bytes, 0);
    if (call == RECEIVE)
        return receive(to);
    if (write(ends[1], record, record_bytes) != record_bytes)
        return -1;
    return read(ends[0], to, record_bytes);
}

/* A call that has failed leaves its record in the pipe. */
static void empty_pipe(void)
{
    unsigned char rest[record_bytes];
    CHECK(read(ends[0], rest, record_bytes) == record_bytes, "the pipe is empty");
}

static int is_lost(enum call call, const unsigned char *memory)
{
    int zeros = 0;
    for (int i = 0; i < record_bytes; i++)
        zeros += memory[i] == 0;
    return call == RANDOM ? zeros == record_bytes : memcmp(memory, record, record_bytes) != 0;
}

static void try(enum call call, enum place place)
{
    struct tally *tally = &tallies[call][place];
    char *to = place_at(place);
    memset(to, 0, record_bytes);
    ssize_t got = make_call(call, to);
    tally->calls++;
    if (got == record_bytes) {
        tally->lost += is_lost(call, (unsigned char *)to);
        return;
    }
    tally->failed++;
    tally->error = got < 0 ? errno : 0;
    if (call == PIPE)
        empty_pipe();
}

static int is_set(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(int *flag, int value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

/* Rests now and then: the ranks have to get on as well. */
static void *call_often(void *arg)
{
    (void)arg;
    for (int i = 0; !is_set(&is_over); i++) {
        set(&is_idle, !is_set(&is_on));
        if (i % (ncalls * nplaces) == 0 || !is_set(&is_on))
            usleep(20);
        if (!is_set(&is_idle))
            try((enum call)(i % ncalls), (enum place)(i / ncalls % nplaces));
    }
    return NULL;
}

/* Until the other end is closed. */
static void *send_often(void *arg)
{
    (void)arg;
    while (send(sockets[1], record, record_bytes, MSG_NOSIGNAL) == record_bytes)
        usleep(20);
    return NULL;
}

static void open_files(void)
{
    char name[400];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/system-call-XXXXXX", folder ? folder : "/tmp");
    file = mkstemp(name);
    unlink(name);
    memset(record, 7, sizeof record);
    CHECK(write(file, record, record_bytes) == record_bytes, "no file to read");
    CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0, "no pipe");
}

static void start_callers(pthread_t thread[2])
{
    open_files();
    set(&is_idle, 1);
    pthread_create(&thread[0], NULL, call_often, NULL);
    pthread_create(&thread[1], NULL, send_often, NULL);
}

static void end_callers(const pthread_t thread[2])
{
    set(&is_over, 1);
    pthread_join(thread[0], NULL);
    close(sockets[0]);
    pthread_join(thread[1], NULL);
}

/* Each window a little shorter than the last, so that none is on the very same memory. */
static void make_windows(enum memory memory)
{
    room = room_of(memory, room_most);
    size_t whole = room.bytes;
    memset(room.base, 3, room.bytes); /* pages of zeros are moved in no time */
    set(&is_on, rank == 0);
    for (size_t i = 0; i < windows / nmemories; i++) {
        room.bytes = whole - 8 * i;
        room_open(&room, 0);
        room_close(&room);
    }
    set(&is_on, 0);
    while (!is_set(&is_idle))
        usleep(100);
    room_give_back(&room);
}

static void check(enum call call, enum place place)
{
    const struct tally *tally = &tallies[call][place];
    CHECK(tally->failed == 0,
          "%ld of %ld calls of %s by another thread, %s, failed or stored less (%s)", tally->failed,
          tally->calls, call_names[call], place_names[place], strerror(tally->error));
    CHECK(tally->lost == 0, "%ld of %ld calls of %s by another thread stored, %s, what is lost",
          tally->lost, tally->calls, call_names[call], place_names[place]);
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    int early = argc > 1 && strcmp(argv[1], "early") == 0;
    if (early)
        start_callers(thread);
    start(&argc, &argv);
    if (!early)
        start_callers(thread);
    for (enum memory memory = HEAP; memory < nmemories; memory++)
        make_windows(memory);
    end_callers(thread);
    for (int i = 0; i < ncalls * nplaces; i++)
        check((enum call)(i / nplaces), (enum place)(i % nplaces));
    return finish("system_call");
}
