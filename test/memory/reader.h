/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A read that is begun and waited for later, straight from a file into two pieces of memory, in
 * four ways: io_submit, io_uring, io_uring with the second piece registered, and preadv of another
 * thread. By system calls alone, as the libraries for them are not everywhere.
 */
#ifndef PROA_TEST_READER_H
#define PROA_TEST_READER_H

#include "memory.h"
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sys/uio.h>

enum way { AIO, URING, FIXED, THREAD, nways };

static const char *const way_names[nways] = {"aio", "uring", "fixed", "thread"};

struct reader {
    enum way way;
    int file;
    struct iovec piece[2];
    ssize_t got; /* or -errno */

    aio_context_t context; /* AIO */
    struct iocb control;

    int ring; /* URING, FIXED */
    unsigned pending;
    char *submissions, *completions; /* the rings */
    struct io_uring_sqe *entries;
    struct io_uring_params params;

    pthread_t thread; /* THREAD */
    int tid;
};

/* ---- io_submit ---- */

static inline int aio_open(struct reader *reader)
{
    return syscall(SYS_io_setup, 4, &reader->context) == 0 ? 0 : errno;
}

static inline void aio_begin(struct reader *reader)
{
    struct iocb *control = &reader->control;
    *control = (struct iocb){.aio_lio_opcode = IOCB_CMD_PREADV,
                             .aio_fildes = (uint32_t)reader->file,
                             .aio_buf = (uintptr_t)reader->piece,
                             .aio_nbytes = 2};
    reader->got = syscall(SYS_io_submit, reader->context, 1, &control) == 1 ? 0 : -errno;
}

static inline void aio_wait(struct reader *reader)
{
    struct io_event event = {.res = 0};
    while (reader->got == 0 &&
           syscall(SYS_io_getevents, reader->context, 1, 1, &event, NULL) != 1 && errno == EINTR)
        continue;
    reader->got = reader->got == 0 ? (ssize_t)event.res : reader->got;
}

/* ---- io_uring ---- */

static inline void *ring_map(const struct reader *reader, size_t bytes, off_t offset)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, reader->ring, offset);
    return need(memory == MAP_FAILED ? NULL : memory);
}

static inline int uring_open(struct reader *reader)
{
    struct io_uring_params *params = &reader->params;
    reader->ring = (int)syscall(SYS_io_uring_setup, 4, params);
    if (reader->ring < 0)
        return errno;
    reader->submissions = ring_map(
        reader, params->sq_off.array + params->sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
    reader->completions =
        ring_map(reader, params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe),
                 IORING_OFF_CQ_RING);
    reader->entries =
        ring_map(reader, params->sq_entries * sizeof *reader->entries, IORING_OFF_SQES);
    return 0;
}

static inline unsigned *ring_word(char *ring, unsigned offset)
{
    return (unsigned *)(void *)(ring + offset);
}

static inline void uring_add(struct reader *reader, const struct io_uring_sqe *entry)
{
    unsigned *tail = ring_word(reader->submissions, reader->params.sq_off.tail);
    unsigned index = *tail & (reader->params.sq_entries - 1);
    reader->entries[index] = *entry;
    ring_word(reader->submissions, reader->params.sq_off.array)[index] = index;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE); /* partner: the kernel */
    reader->pending++;
}

/* Returns once `wait` of what was submitted is done. */
static inline void uring_enter(struct reader *reader, unsigned submit, unsigned wait)
{
    long done;
    do
        done = syscall(SYS_io_uring_enter, reader->ring, submit, wait,
                       wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        reader->got = -errno;
}

static inline void uring_begin(struct reader *reader)
{
    int pieces = reader->way == FIXED ? 1 : 2;
    struct io_uring_sqe plain = {.opcode = IORING_OP_READV,
                                 .fd = reader->file,
                                 .addr = (uintptr_t)reader->piece,
                                 .len = (unsigned)pieces};
    struct io_uring_sqe fixed = {.opcode = IORING_OP_READ_FIXED,
                                 .fd = reader->file,
                                 .addr = (uintptr_t)reader->piece[1].iov_base,
                                 .len = (unsigned)reader->piece[1].iov_len,
                                 .off = reader->piece[0].iov_len};
    reader->got = 0;
    uring_add(reader, &plain);
    if (pieces == 1)
        uring_add(reader, &fixed);
    uring_enter(reader, reader->pending, 0);
}

static inline void uring_wait(struct reader *reader)
{
    unsigned *head = ring_word(reader->completions, reader->params.cq_off.head);
    uring_enter(reader, 0, reader->pending);
    for (; reader->pending > 0; reader->pending--) {
        const struct io_uring_cqe *all = (void *)(reader->completions + reader->params.cq_off.cqes);
        int result = all[*head & (reader->params.cq_entries - 1)].res;
        reader->got = result < 0 || reader->got < 0 ? -1 : reader->got + result;
        __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE); /* partner: the kernel */
    }
}

/* Before a read by FIXED, and after it. The kernel holds the page in between. */
static inline int reader_register(struct reader *reader)
{
    if (reader->way != FIXED)
        return 0;
    return syscall(SYS_io_uring_register, reader->ring, IORING_REGISTER_BUFFERS, &reader->piece[1],
                   1) == 0
               ? 0
               : errno;
}

static inline void reader_unregister(const struct reader *reader)
{
    if (reader->way == FIXED)
        syscall(SYS_io_uring_register, reader->ring, IORING_UNREGISTER_BUFFERS, NULL, 0);
}

/* ---- another thread ---- */

static inline void *thread_read(void *arg)
{
    struct reader *reader = arg;
    __atomic_store_n(&reader->tid, (int)gettid(), __ATOMIC_RELEASE); /* partner: thread_begin */
    reader->got = preadv(reader->file, reader->piece, 2, 0);
    reader->got = reader->got < 0 ? -errno : reader->got;
    return NULL;
}

static inline void thread_begin(struct reader *reader)
{
    __atomic_store_n(&reader->tid, 0, __ATOMIC_RELAXED);
    reader->got = 0;
    pthread_create(&reader->thread, NULL, thread_read, reader);
    for (int i = 0, tid = 0; i < 100 && !(tid && is_in_call(tid, SYS_preadv, NULL, 0)); i++) {
        usleep(20);
        tid = __atomic_load_n(&reader->tid, __ATOMIC_ACQUIRE); /* partner: thread_read */
    }
}

/* ---- all ---- */

/* 0, or why the kernel refuses. */
static inline int reader_open(struct reader *reader, enum way way, int file)
{
    *reader = (struct reader){.way = way, .file = file, .ring = -1};
    if (way == AIO)
        return aio_open(reader);
    return way == THREAD ? 0 : uring_open(reader);
}

static inline void reader_begin(struct reader *reader)
{
    if (reader->way == AIO)
        aio_begin(reader);
    else if (reader->way == THREAD)
        thread_begin(reader);
    else
        uring_begin(reader);
}

static inline void reader_wait(struct reader *reader)
{
    if (reader->way == AIO)
        aio_wait(reader);
    else if (reader->way == THREAD)
        pthread_join(reader->thread, NULL);
    else
        uring_wait(reader);
}

#endif
