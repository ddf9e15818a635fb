/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that wait without PRIVATE, as std::future, robust mutexes and semaphores between
 * processes do, on words beside a window and inside it: each is woken when it is posted, while the
 * window lives and after it is freed. The kernel knows such a word by its page, not by its address.
 *
 *   futex late | early
 *
 * early: the threads are there before MPI_Init, as those of the host never are.
 */
#include "memory.h"
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum way { RAW, SEMAPHORE, ROBUST, nways };
enum when { POSTED_IN_WINDOW, POSTED_AFTER, BEGUN_IN_WINDOW, nwhens };

static const char *const way_names[nways] = {"a futex", "a semaphore", "a robust mutex"};
static const char *const when_names[nwhens] = {"since before the window, posted while it lives",
                                               "since before the window, posted after its end",
                                               "since the window lived, posted after its end"};

enum { patience_s = 10, waiters_most = 40 };

struct waiter {
    enum way way;
    enum when when;
    const char *where;
    void *word; /* int, sem_t or pthread_mutex_t */
    int woken;
};

/* A thread for each waiter, in all rounds. */
struct worker {
    sem_t begin, done;
    int tid;
};

static struct waiter waiters[waiters_most];
static struct worker workers[waiters_most];
static int nwaiters;

/* ---- the thread that waits ---- */

static struct timespec deadline(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += patience_s;
    return time;
}

static int wait_raw(int *word)
{
    struct timespec end = deadline();
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET, 0, &end, NULL, FUTEX_BITSET_MATCH_ANY) !=
                0 &&
            errno == ETIMEDOUT)
            return 0;
    return 1;
}

static int wait_semaphore(sem_t *semaphore)
{
    struct timespec end = deadline();
    int error;
    do
        error = sem_clockwait(semaphore, CLOCK_MONOTONIC, &end);
    while (error != 0 && errno == EINTR);
    return error == 0;
}

static int wait_robust(pthread_mutex_t *mutex)
{
    struct timespec end = deadline();
    if (pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &end) != 0)
        return 0;
    pthread_mutex_unlock(mutex);
    return 1;
}

static void wait_once(struct waiter *waiter)
{
    if (waiter->way == RAW)
        waiter->woken = wait_raw(waiter->word);
    else if (waiter->way == SEMAPHORE)
        waiter->woken = wait_semaphore(waiter->word);
    else
        waiter->woken = wait_robust(waiter->word);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    worker->tid = (int)gettid();
    for (;;) {
        sem_post(&worker->done);
        while (sem_wait(&worker->begin) != 0)
            continue;
        wait_once(&waiters[worker - workers]);
    }
    return NULL;
}

static void start_workers(void)
{
    pthread_t thread;
    for (int i = 0; i < waiters_most; i++) {
        sem_init(&workers[i].begin, 0, 0);
        sem_init(&workers[i].done, 0, 0);
        pthread_create(&thread, NULL, work, &workers[i]);
        pthread_detach(thread);
        while (sem_wait(&workers[i].done) != 0)
            continue;
    }
}

/* ---- the thread that posts ---- */

static void prepare(struct waiter *waiter)
{
    pthread_mutexattr_t attributes;
    if (waiter->way == SEMAPHORE)
        sem_init(waiter->word, 1, 0);
    if (waiter->way != ROBUST)
        return;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(waiter->word, &attributes);
    pthread_mutex_lock(waiter->word);
}

static int is_asleep(int i)
{
    unsigned long at = 0;
    return is_in_call(workers[i].tid, SYS_futex, &at, 1) &&
           at - (uintptr_t)waiters[i].word < sizeof(pthread_mutex_t);
}

/* Returns when the thread is asleep, or is not seen to be so after a second: then it is about to
 * be, which is no fault. */
static void begin(enum when when)
{
    for (int i = 0; i < nwaiters; i++)
        if (waiters[i].when == when) {
            prepare(&waiters[i]);
            sem_post(&workers[i].begin);
        }
    for (int i = 0; i < nwaiters; i++)
        for (int k = 0; k < 1000 && waiters[i].when == when && !is_asleep(i); k++)
            usleep(1000);
}

static void post_one(struct waiter *waiter)
{
    if (waiter->way == SEMAPHORE)
        sem_post(waiter->word);
    if (waiter->way == ROBUST)
        pthread_mutex_unlock(waiter->word);
    if (waiter->way != RAW)
        return;
    __atomic_store_n((int *)waiter->word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, waiter->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void post(enum when when)
{
    for (int i = 0; i < nwaiters; i++)
        if (waiters[i].when == when)
            post_one(&waiters[i]);
}

static void check(const char *memory)
{
    for (int i = 0; i < nwaiters; i++) {
        struct waiter *waiter = &waiters[i];
        while (sem_wait(&workers[i].done) != 0)
            continue;
        CHECK(waiter->woken, "%s: a thread waited for %s %s, %s, and was not woken in %d s", memory,
              way_names[waiter->way], waiter->where, when_names[waiter->when], patience_s);
    }
}

/* ---- rounds ---- */

static void add(enum way way, enum when when, const char *where, void *word)
{
    waiters[nwaiters++] = (struct waiter){.way = way, .when = when, .where = where, .word = word};
}

/* Each way at each time, from `at` on. */
static void add_all(const char *where, char *at)
{
    for (enum way way = RAW; way < nways; way++)
        for (enum when when = POSTED_IN_WINDOW; when < nwhens; when++, at += 64)
            add(way, when, where, at);
}

static void round_on(struct room *room, int attached, const char *name)
{
    begin(POSTED_IN_WINDOW);
    begin(POSTED_AFTER);
    room_open(room, attached);
    post(POSTED_IN_WINDOW);
    begin(BEGUN_IN_WINDOW);
    room_works(room, name);
    room_close(room);
    post(POSTED_AFTER);
    post(BEGUN_IN_WINDOW);
    check(name);
    nwaiters = 0;
}

static void with(enum memory memory, int attached)
{
    struct room room = room_make(memory);
    add_all("in the page where the window begins", room.head);
    add_all("in the page where the window ends", room.tail);
    add_all("inside the window", room.inside);
    round_on(&room, attached, memory_names[memory]);
    room_give_back(&room);
}

/* As an allocator of the program's own has it: 16 bytes in front of a block that begins a mapping,
 * which are no header of malloc's. */
static void with_own_header(void)
{
    struct room room = room_make(MAPPED);
    int *header = (int *)(void *)room.first;
    room.base = room.first + 16;
    room.bytes = 4 * room.page - 16;
    for (enum when when = POSTED_IN_WINDOW; when < nwhens; when++)
        add(RAW, when, "in a header directly before the window", &header[when]);
    header[3] = (int)room.bytes;
    round_on(&room, 0, "mapped");
    room_give_back(&room);
}

int main(int argc, char **argv)
{
    int early = argc > 1 && strcmp(argv[1], "early") == 0;
    if (early)
        start_workers();
    start(&argc, &argv);
    if (!early)
        start_workers();
    for (int i = 0; i < 2 * nmemories && !has_failed(); i++)
        with((enum memory)(i / 2), i % 2);
    if (!has_failed())
        with_own_header();
    return finish("futex");
}
