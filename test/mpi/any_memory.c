/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows on every kind of memory that a program may pass to MPI_Win_create or attach, used by the
 * other ranks while the last rank, their target, computes, sleeps, is blocked in MPI_Recv, or is
 * stopped by SIGSTOP: every operation completes, and is right. (Not stopped where
 * PROA_TEST_SERVED says that the target's agent serves some of it.)
 *
 * The ranks tell each other of it through mapped memory, not through MPI and not by the clock.
 */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

enum { few = 5, many = 6000, word_bytes = 8 };
enum state { COMPUTES, SLEEPS, RECEIVES, STOPPED };

struct board {
    int state;    /* number of the turn whose state the target has entered */
    int finished; /* origins that have done all of their turns so far */
    int pid;      /* of the target */
};

static struct board *board;
static int target, turn, dynamic;

/* A file that all ranks map. */
static void *shared_pages(size_t bytes)
{
    static char path[4096];
    int file = -1;
    if (rank == 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(path, sizeof path, "%s/any-memory-XXXXXX", folder ? folder : "/tmp");
        file = mkstemp(path);
        if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
            MPI_Abort(MPI_COMM_WORLD, 98);
    }
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank != 0)
        file = open(path, O_RDWR);
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (pages == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 97);
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(path);
    return pages;
}

/* ---- the target's side ---- */

static int is_finished(void)
{
    return __atomic_load_n(&board->finished, __ATOMIC_ACQUIRE) >= turn * target;
}

static void be_in(enum state state)
{
    int nothing;
    __atomic_store_n(&board->state, turn, __ATOMIC_RELEASE);
    switch (state) {
    case COMPUTES:
        while (!is_finished())
            continue;
        break;
    case RECEIVES:
        for (int i = 0; i < target; i++)
            MPI_Recv(&nothing, 1, MPI_INT, i, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    default: /* asleep; or stopped and let go again by rank 0 */
        while (!is_finished())
            usleep(500);
    }
}

/* ---- the origins' side ---- */

static char state_letter(int pid)
{
    char path[40], text[200] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0)
        text[0] = '\0';
    close(file);
    const char *name_end = strrchr(text, ')');
    return name_end ? name_end[2] : '?';
}

static void stop(void)
{
    kill(board->pid, SIGSTOP);
    while (state_letter(board->pid) != 'T')
        usleep(100);
}

/* Words of this rank's own, all over the window; the last one is common. */
static void use(MPI_Win win, MPI_Aint first, int words, const char *what)
{
    static const long one = 1; /* its accumulates stay pending */

    for (int k = rank; k < words - 1; k += target * (words / 40 + 1)) {
        long sent = 1000 * turn + k, got = -1, was = -1, next = sent + 3;
        MPI_Aint at = first + k * word_bytes;
        MPI_Put(&sent, 1, MPI_LONG, target, at, 1, MPI_LONG, win);
        MPI_Win_flush(target, win);
        MPI_Get(&got, 1, MPI_LONG, target, at, 1, MPI_LONG, win);
        MPI_Win_flush(target, win);
        CHECK(got == sent, "%s: got %ld, not %ld, at %d", what, got, sent, k);
        MPI_Accumulate(&one, 1, MPI_LONG, target, at, 1, MPI_LONG, MPI_SUM, win);
        MPI_Fetch_and_op(&one, &got, MPI_LONG, target, at, MPI_SUM, win);
        MPI_Win_flush(target, win);
        CHECK(got == sent + 1, "%s: fetched %ld, not %ld, at %d", what, got, sent + 1, k);
        got = sent + 2;
        MPI_Compare_and_swap(&next, &got, &was, MPI_LONG, target, at, win);
        MPI_Win_flush(target, win);
        CHECK(was == sent + 2, "%s: compared with %ld, not %ld, at %d", what, was, sent + 2, k);
        MPI_Accumulate(&one, 1, MPI_LONG, target, first + (words - 1) * word_bytes, 1, MPI_LONG,
                       MPI_SUM, win);
    }
}

static long uses(int words)
{
    long count = 0;
    for (int r = 0; r < target; r++)
        for (int k = r; k < words - 1; k += target * (words / 40 + 1))
            count++;
    return count;
}

static void turn_of_origin(MPI_Win win, MPI_Aint first, int words, enum state state,
                           const char *what)
{
    int nothing = 0;
    while (__atomic_load_n(&board->state, __ATOMIC_ACQUIRE) < turn)
        sched_yield();
    if (state == STOPPED && rank == 0) {
        stop();
        __atomic_store_n(&board->state, turn + 1, __ATOMIC_RELEASE);
    }
    while (state == STOPPED && __atomic_load_n(&board->state, __ATOMIC_ACQUIRE) < turn + 1)
        sched_yield();
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    use(win, first, words, what);
    MPI_Win_unlock(target, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    use(win, first, words, what);
    MPI_Win_unlock(target, win);
    if (state == RECEIVES)
        MPI_Send(&nothing, 1, MPI_INT, target, turn, MPI_COMM_WORLD);
    if (__atomic_add_fetch(&board->finished, 1, __ATOMIC_ACQ_REL) == turn * target &&
        state == STOPPED)
        kill(board->pid, SIGCONT);
}

/* ---- kinds of memory ---- */

/* memory: the target's; other ranks have as much of their own. */
static void with(long *memory, int words, const char *what)
{
    MPI_Win win;
    MPI_Aint first = 0;
    for (int i = 0; i < words; i++)
        memory[i] = -i;
    if (dynamic) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_attach(win, memory, words * word_bytes);
        MPI_Get_address(memory, &first);
        MPI_Bcast(&first, 1, MPI_AINT, target, MPI_COMM_WORLD);
    } else {
        MPI_Win_create(memory, words * word_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    memory[words - 1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    enum state last = getenv("PROA_TEST_SERVED") ? RECEIVES : STOPPED;
    for (enum state state = COMPUTES; state <= last; state++) {
        turn++;
        if (rank == target)
            be_in(state);
        else
            turn_of_origin(win, first, words, state, what);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    CHECK(rank != target || memory[words - 1] == 2 * ((long)last + 1) * uses(words),
          "%s: %ld of %ld additions were done", what, memory[words - 1],
          2 * ((long)last + 1) * uses(words));
    MPI_Win_unlock(rank, win);
    if (dynamic) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_detach(win, memory);
    }
    MPI_Win_free(&win);
    memory[0] = 7;
    CHECK(memory[0] == 7, "%s: not usable after MPI_Win_free", what);
}

static long in_bss[many], in_data[many] = {1}, tiny_bss[few], tiny_data[few] = {1};

struct lent {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    long *memory;
    int done;
};

/* A thread that sleeps while its stack is a window. */
static void *lend_stack(void *arg)
{
    struct lent *lent = arg;
    long local[many];
    pthread_mutex_lock(&lent->mutex);
    lent->memory = local;
    pthread_cond_signal(&lent->changed);
    while (!lent->done)
        pthread_cond_wait(&lent->changed, &lent->mutex);
    pthread_mutex_unlock(&lent->mutex);
    return NULL;
}

static void with_thread_stack(void)
{
    struct lent lent = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, lend_stack, &lent);
    pthread_mutex_lock(&lent.mutex);
    while (!lent.memory)
        pthread_cond_wait(&lent.changed, &lent.mutex);
    pthread_mutex_unlock(&lent.mutex);
    with(lent.memory, many, "stack of a thread");
    pthread_mutex_lock(&lent.mutex);
    lent.done = 1;
    pthread_cond_signal(&lent.changed);
    pthread_mutex_unlock(&lent.mutex);
    pthread_join(thread, NULL);
}

static void *map(int flags)
{
    void *memory = mmap(NULL, many * word_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    return memory == MAP_FAILED ? need(NULL) : memory;
}

static void with_mapped(void)
{
    long *memory = map(MAP_PRIVATE | MAP_ANONYMOUS);
    with(memory, many, "mmap, private");
    with(memory + 100, many / 2, "part of mmap, private");
    CHECK(munmap(memory, many * word_bytes) == 0, "munmap fails after MPI_Win_free");
    memory = map(MAP_SHARED | MAP_ANONYMOUS);
    with(memory, many, "mmap, shared");
    munmap(memory, many * word_bytes);
    /* each its own part */
    memory = shared_pages((size_t)nranks * many * word_bytes);
    with(memory + rank * many, many, "a file");
    munmap(memory, (size_t)nranks * many * word_bytes);
}

static void with_memory_of_mpi(void)
{
    long *memory;
    int unit, left = (rank + nranks - 1) % nranks;
    MPI_Aint size;
    MPI_Win win;
    MPI_Alloc_mem(many * word_bytes, MPI_INFO_NULL, &memory);
    with(memory, many, "MPI_Alloc_mem");
    MPI_Free_mem(memory);
    MPI_Win_allocate_shared(many * word_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_shared_query(win, left, &size, &unit, &memory);
    with(memory, many, "a neighbour's part of a shared window");
    MPI_Win_free(&win);
}

static void all_kinds(void)
{
    long on_stack[many], tiny_stack[few];
    long *small = need(malloc(few * word_bytes)), *large = need(malloc(many * 100 * word_bytes));
    with(small, few, "heap, small");
    with(large + 1, many * 10, "heap, large");
    large = need(realloc(large, many * 200 * word_bytes));
    with(large, many, "heap, after realloc");
    free(small);
    free(large);
    with(in_bss, many, ".bss");
    with(in_data, many, ".data");
    with(tiny_bss, few, ".bss, small");
    with(tiny_data, few, ".data, small");
    with(on_stack, many, "stack");
    with(tiny_stack, few, "stack, small");
    with_thread_stack();
    with_mapped();
    with_memory_of_mpi();
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks < 2)
        return skip("needs 2 ranks");
    target = nranks - 1;
    board = shared_pages(sizeof *board);
    if (rank == target)
        board->pid = getpid();
    MPI_Barrier(MPI_COMM_WORLD);
    for (dynamic = 0; dynamic < 2; dynamic++)
        all_kinds();
    return finish("any_memory");
}
