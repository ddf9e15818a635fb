/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A timer's handler forks, again and again, while windows are made and freed: no fork hangs, and
 * what the child stores into the window's memory and beside it is the child's alone.
 *
 * The hosts themselves do not bear that: a fork waits for malloc's locks and for UCX's, which its
 * own thread may hold. So the handler forks only where it has interrupted Proa, and no call of
 * malloc in it: it looks whose functions are on the stack.
 */
#include "memory.h"
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { forks_wanted = 60, rounds_most = 20000, at_a_time = 5, patience_s = 20 };

static __thread volatile sig_atomic_t in_malloc; /* of the thread that is interrupted */
static volatile sig_atomic_t forks, is_forking, is_over;
static volatile int shared;  /* stores of children that this process saw */
static timer_t timer, limit; /* limit: of processor time; what stands still test/launch ends */
static uint64_t seed;
static struct room room;

/* ---- malloc, counted ---- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

void *malloc(size_t bytes)
{
    in_malloc++;
    void *block = __libc_malloc(bytes);
    in_malloc--;
    return block;
}

void *calloc(size_t count, size_t bytes)
{
    in_malloc++;
    void *block = __libc_calloc(count, bytes);
    in_malloc--;
    return block;
}

void *realloc(void *block, size_t bytes)
{
    in_malloc++;
    block = __libc_realloc(block, bytes);
    in_malloc--;
    return block;
}

void *memalign(size_t alignment, size_t bytes)
{
    in_malloc++;
    void *block = __libc_memalign(alignment, bytes);
    in_malloc--;
    return block;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    *block = memalign(alignment, bytes);
    return *block ? 0 : ENOMEM;
}

void free(void *block)
{
    in_malloc++;
    __libc_free(block);
    in_malloc--;
}

/* ---- what has been interrupted ---- */

enum { objects_most = 8, frames_most = 60 };

static struct {
    uintptr_t first, end;
} object[objects_most]; /* the program, Proa and the C library */
static int objects;

static int note_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    if (info->dlpi_name[0] && !strstr(info->dlpi_name, "/libproa") &&
        !strstr(info->dlpi_name, "/libc.so") && !strstr(info->dlpi_name, "/libpthread.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) &&
            objects < objects_most) {
            object[objects].first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            object[objects].end = object[objects].first + info->dlpi_phdr[i].p_memsz;
            objects++;
        }
    return 0;
}

static int is_noted(const void *frame)
{
    for (int i = 0; i < objects; i++)
        if ((uintptr_t)frame - object[i].first < object[i].end - object[i].first)
            return 1;
    return 0;
}

/* No function of the host's, nor of a library below it, is on the stack. */
static int is_in_proa(void)
{
    void *frame[frames_most];
    int frames = backtrace(frame, frames_most);
    for (int i = 0; i < frames; i++)
        if (!is_noted(frame[i]))
            return 0;
    return !in_malloc;
}

/* ---- the handlers ---- */

static volatile int *word(size_t i)
{
    return (volatile int *)(void *)(i ? room.inside : room.head);
}

static void fork_once(void)
{
    int before[2] = {*word(0), *word(1)};
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < 2; i++)
            *word(i) = before[i] + 1;
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    for (size_t i = 0; i < 2; i++)
        shared += *word(i) != before[i];
    forks++;
}

/* Once more, in 10 to 200 us. */
static void set_timer(void)
{
    struct itimerspec when = {.it_value.tv_nsec = 10000 + random_below(&seed, 190000)};
    timer_settime(timer, 0, &when, NULL);
}

static void on_timer(int signal)
{
    int error = errno;
    (void)signal;
    if (is_over)
        return;
    is_forking = 1;
    if (is_in_proa())
        fork_once();
    is_forking = 0;
    set_timer();
    errno = error;
}

static void on_alarm(int signal)
{
    static const char forking[] =
        "a fork in a signal handler hangs while a window is made or freed\n",
                      other[] = "windows are not made while a signal handler forks\n";
    const char *text = is_forking ? forking : other;
    (void)signal;
    if (write(2, text, strlen(text)) < 0)
        _exit(2);
    _exit(1);
}

static void start_timer(void)
{
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART},
                     alarmed = {.sa_handler = on_alarm};
    struct sigevent late = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event._sigev_un._tid = (pid_t)gettid();
    dl_iterate_phdr(note_object, NULL);
    is_in_proa(); /* its first call loads a library */
    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGALRM, &alarmed, NULL);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "no timer");
    CHECK(timer_create(CLOCK_PROCESS_CPUTIME_ID, &late, &limit) == 0, "no timer");
    timer_settime(limit, 0, &(struct itimerspec){.it_value.tv_sec = patience_s}, NULL);
    set_timer();
}

/* ---- the windows ---- */

/* The forks of the rank that has had fewest. */
static int forks_least(void)
{
    int mine = forks, least = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least;
}

/* Each window a little shorter than the last, so that none is on the very same memory. */
static void make_windows(void)
{
    size_t whole = room.bytes;
    for (int i = 0; i < rounds_most && forks_least() < forks_wanted; i += at_a_time)
        for (size_t k = 0; k < at_a_time; k++) {
            room.bytes = whole - 8 * ((size_t)i + k) % (room.page / 2);
            room_open(&room, 0);
            room_close(&room);
        }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    seed = (uint64_t)rank;
    room = room_of(HEAP, room_most);
    memset(room.base, 3, room.bytes);
    start_timer();
    make_windows();
    is_over = 1;
    timer_delete(limit);
    timer_delete(timer);
    CHECK(forks >= forks_wanted || !getenv("PROA_EXPECT"), "the handler has forked %d times only",
          (int)forks);
    CHECK(shared == 0, "%d of %d children stored into this process's memory", shared, (int)forks);
    room_give_back(&room);
    return finish("fork_signal");
}
