/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs that are correct: check mode must tell nothing (random.sh).
 *
 *   random EPOCHS SEED [FAULT]
 *
 * All ranks draw the same plan. In an epoch each element of each target is read by any rank, or
 * written by one, or changed atomically by any; the same elements change their part from epoch to
 * epoch, so that what orders epochs is needed. FAULT leaves one synchronization out in the first
 * epoch, which must be told: fence, barrier, lock, flush, counter.
 *
 * Elements are accessed one by one, by halves in another order, or three at once with gaps between.
 * A rank loads and stores its own elements as well. There is a window of MPI_Win_allocate and a
 * dynamic one, in turn. In some epochs several threads of a rank operate.
 */
#include <mpi.h>
#include <proa_notify.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ELEMENTS = 6, RANKS_MOST = 8, RESULTS = 4096 };
enum part { IDLE, READ, WRITTEN, ATOMIC, PARTS };
enum kind { FENCE, PSCW, LOCKED, LOCK_ALL, TOKEN, COUNTED, THREADED, KINDS };

/* Epochs on one window before those on the other. */
enum { TURN = 25 };

static int rank, size, has_threads;
static MPI_Win win, windows[2]; /* allocated, dynamic */
static MPI_Aint starts[2][RANKS_MOST];
static long *memories[2], attached[ELEMENTS + 1]; /* this rank's */
static const MPI_Aint *start;                     /* of the window's */
static MPI_Datatype halves, spread;
static MPI_Count counted;
static MPI_Group others;
static unsigned long long state;
static long origin = 1, results[RESULTS];
static int result_count;
static const char *fault = "";
static struct {
    enum part part;
    int writer, basic;
} plan[RANKS_MOST][ELEMENTS];

/* The same on all ranks. */
static int draw(int below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (unsigned long long)below);
}

static int is_fault(int epoch, const char *name)
{
    return epoch == 0 && strcmp(fault, name) == 0;
}

/* Each result has a place of its own until all are complete. */
static long *result(void)
{
    if (result_count == RESULTS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return &results[result_count++];
}

/* The displacement of an element: the dynamic window counts bytes. */
static MPI_Aint at(int target, int i)
{
    return start[target] + (win == windows[1] ? (MPI_Aint)sizeof(long) : 1) * i;
}

static void draw_plan(void)
{
    for (int target = 0; target < size; target++)
        for (int i = 0; i < ELEMENTS; i++) {
            plan[target][i].part = (enum part)draw(PARTS);
            plan[target][i].writer = draw(size);
            plan[target][i].basic = draw(2);
        }
}

/* This rank's own, for loads and stores. */
static volatile long *element(int i)
{
    return memories[win == windows[1]] + i;
}

static void read_element(int target, int i)
{
    if (target == rank && draw(2)) {
        *result() = *element(i);
        return;
    }
    switch (draw(4)) {
    case 0:
        MPI_Get(result(), 1, MPI_LONG, target, at(target, i), 1, MPI_LONG, win);
        break;
    case 1:
        MPI_Get_accumulate(NULL, 0, MPI_LONG, result(), 1, MPI_LONG, target, at(target, i), 1,
                           MPI_LONG, MPI_NO_OP, win);
        break;
    case 2:
        MPI_Get(result(), 2, MPI_INT, target, at(target, i), 1, halves, win);
        break;
    default:
        MPI_Fetch_and_op(NULL, result(), MPI_LONG, target, at(target, i), MPI_NO_OP, win);
    }
}

static void change_element(int target, int i)
{
    const MPI_Datatype type = plan[target][i].basic ? MPI_LONG : MPI_DOUBLE;

    if (draw(2))
        MPI_Accumulate(&origin, 1, type, target, at(target, i), 1, type, MPI_REPLACE, win);
    else
        MPI_Fetch_and_op(&origin, result(), type, target, at(target, i), MPI_REPLACE, win);
}

static void write_element(int target, int i)
{
    if (target == rank && draw(2))
        *element(i) = origin;
    else if (draw(2))
        MPI_Put(&origin, 1, MPI_LONG, target, at(target, i), 1, MPI_LONG, win);
    else
        MPI_Put(&origin, 2, MPI_INT, target, at(target, i), 1, halves, win);
}

/* Draws as often on each rank. */
static void operate(int target, int i)
{
    const unsigned long long before = state;

    if (plan[target][i].part == READ)
        read_element(target, i);
    else if (plan[target][i].part == ATOMIC)
        change_element(target, i);
    else if (plan[target][i].part == WRITTEN && plan[target][i].writer == rank)
        write_element(target, i);
    state = before;
    draw(2);
}

/* Elements 0, 2 and 4 at once, with the others between them, if they have the same part; whether
 * that is so, all ranks find alike. */
static int operate_on_spread(int target)
{
    static const long origins[3] = {1, 1, 1};

    for (int i = 2; i < ELEMENTS; i += 2)
        if (plan[target][i].part != plan[target][0].part ||
            plan[target][i].writer != plan[target][0].writer)
            return 0;
    if (plan[target][0].part != READ && plan[target][0].part != WRITTEN)
        return 0;
    if (plan[target][0].part == READ) {
        result(), result(), result();
        MPI_Get(&results[result_count - 3], 3, MPI_LONG, target, at(target, 0), 1, spread, win);
    } else if (plan[target][0].writer == rank) {
        MPI_Put(origins, 3, MPI_LONG, target, at(target, 0), 1, spread, win);
    }
    return 1;
}

static void operate_on(int target)
{
    const unsigned long long before = state;
    const int has_spread = operate_on_spread(target);

    for (int i = has_spread; i < ELEMENTS; i += 1 + has_spread)
        operate(target, i);
    state = before;
    draw(2);
}

/* Rank 0 and then the last one write to the same element. */
static void canary(int of)
{
    if (rank == of)
        MPI_Put(&origin, 1, MPI_LONG, 1, at(1, ELEMENTS), 1, MPI_LONG, win);
}

static void by_fence(int epoch)
{
    for (int target = 0; target < size; target++)
        operate_on(target);
    canary(0);
    if (!is_fault(epoch, "fence"))
        MPI_Win_fence(0, win);
    canary(size - 1);
    MPI_Win_fence(0, win);
}

static void by_pscw(void)
{
    MPI_Win_post(others, 0, win);
    MPI_Win_start(others, 0, win);
    for (int target = 0; target < size; target++)
        if (target != rank)
            operate_on(target);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Under exclusive locks all may write to one element. */
static void by_lock(int epoch)
{
    const int kind = is_fault(epoch, "lock") ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;

    for (int target = 0; target < size; target++) {
        MPI_Win_lock(draw(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
        operate_on(target);
        MPI_Win_unlock(target, win);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* the locks above may order what comes */
    MPI_Win_lock(kind, 1, 0, win);
    MPI_Put(&origin, 1, MPI_LONG, 1, at(1, ELEMENTS), 1, MPI_LONG, win);
    MPI_Win_unlock(1, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void by_lock_all(int epoch)
{
    MPI_Win_lock_all(0, win);
    for (int target = 0; target < size; target++)
        operate_on(target);
    canary(0);
    if (!is_fault(epoch, "barrier")) {
        MPI_Win_flush_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    canary(size - 1);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each rank writes to the same element when it has the token. */
static void by_token(int epoch)
{
    MPI_Win_lock_all(0, win);
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Get(result(), 1, MPI_LONG, 1, at(1, ELEMENTS), 1, MPI_LONG, win);
    MPI_Win_flush_local(1, win);
    MPI_Put(&origin, 1, MPI_LONG, 1, at(1, ELEMENTS), 1, MPI_LONG, win);
    if (!is_fault(epoch, "flush"))
        MPI_Win_flush(1, win);
    if (rank + 1 < size)
        MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The same, with a counter of the next rank in place of the message. A rank that came late could be
 * ordered by the locks of those before, so with the fault all put before one goes on. */
static void by_counter(int epoch)
{
    MPI_Win_lock_all(0, win);
    counted++;
    if (rank > 0 && !is_fault(epoch, "counter"))
        PROA_Win_wait_notify(win, 0, counted);
    MPI_Put(&origin, 1, MPI_LONG, 1, at(1, ELEMENTS), 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
    if (is_fault(epoch, "counter"))
        usleep(100000);
    if (rank + 1 < size)
        PROA_Put_notify(NULL, 0, MPI_LONG, rank + 1, at(rank + 1, 0), 0, MPI_LONG, 0, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

struct share {
    int thread;
    long results[RANKS_MOST][ELEMENTS];
};

/* Every other element of each target. */
static void *do_share(void *of)
{
    struct share *share = of;

    for (int target = 0; target < size; target++)
        for (int i = share->thread; i < ELEMENTS; i += 2)
            if (plan[target][i].part == READ)
                MPI_Get(&share->results[target][i], 1, MPI_LONG, target, at(target, i), 1, MPI_LONG,
                        win);
            else if (plan[target][i].part == ATOMIC)
                MPI_Accumulate(&origin, 1, MPI_LONG, target, at(target, i), 1, MPI_LONG, MPI_SUM,
                               win);
            else if (plan[target][i].part == WRITTEN && plan[target][i].writer == rank)
                MPI_Put(&origin, 1, MPI_LONG, target, at(target, i), 1, MPI_LONG, win);
    MPI_Win_flush_all(win);
    return NULL;
}

static void by_threads(void)
{
    static struct share shares[2] = {{.thread = 0}, {.thread = 1}};
    pthread_t other;

    MPI_Win_lock_all(0, win);
    if (has_threads && pthread_create(&other, NULL, do_share, &shares[1]) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    do_share(&shares[0]);
    if (has_threads)
        pthread_join(other, NULL);
    else
        do_share(&shares[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static enum kind kind_of(int epoch)
{
    static const char *const faults[KINDS] = {"fence", "",        "lock", "barrier",
                                              "flush", "counter", ""};
    enum kind kind = (enum kind)draw(KINDS);

    for (int i = 0; epoch == 0 && i < KINDS; i++)
        if (fault[0] && strcmp(fault, faults[i]) == 0)
            kind = (enum kind)i;
    return kind;
}

static void use_window(int number)
{
    win = windows[number];
    start = starts[number];
    PROA_Win_set_num_notify(win, MPI_INFO_NULL, 1); /* zeroes all */
    counted = 0;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void make_types(void)
{
    const int blocks[2] = {1, 1};
    const MPI_Aint places[2] = {sizeof(int), 0};

    MPI_Type_create_hindexed(2, blocks, places, MPI_INT, &halves);
    MPI_Type_vector(3, 1, 2, MPI_LONG, &spread);
    MPI_Type_commit(&halves);
    MPI_Type_commit(&spread);
}

static void make_windows(void)
{
    MPI_Aint address;

    MPI_Win_allocate(sizeof attached, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memories[0],
                     &windows[0]);
    memories[1] = attached;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &windows[1]);
    MPI_Win_attach(windows[1], attached, sizeof attached);
    MPI_Get_address(attached, &address);
    MPI_Allgather(&address, 1, MPI_AINT, starts[1], 1, MPI_AINT, MPI_COMM_WORLD);
}

static void run(int epoch)
{
    static enum kind last = KINDS;
    const enum kind kind = kind_of(epoch);

    if (epoch % TURN == 0) {
        if (last == FENCE)
            MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        last = KINDS;
        use_window(epoch / TURN % 2);
    }
    draw_plan();
    result_count = 0;
    if (kind == FENCE && last != FENCE) /* opens the first epoch of a row of fences */
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (kind != FENCE && last == FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    last = kind;
    switch (kind) {
    case FENCE:
        by_fence(epoch);
        break;
    case PSCW:
        by_pscw();
        break;
    case LOCKED:
        by_lock(epoch);
        break;
    case LOCK_ALL:
        by_lock_all(epoch);
        break;
    case COUNTED:
        by_counter(epoch);
        break;
    case THREADED:
        by_threads();
        break;
    default:
        by_token(epoch);
    }
}

int main(int argc, char **argv)
{
    const int epochs = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Group world;
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    has_threads = level == MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 || size > RANKS_MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    state = 0x9e3779b97f4a7c15ull ^ (argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
    fault = argc > 3 ? argv[3] : "";
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &rank, &others);
    make_types();
    make_windows();
    for (int epoch = 0; epoch < epochs; epoch++)
        run(epoch);
    MPI_Win_free(&windows[1]);
    MPI_Win_free(&windows[0]);
    MPI_Type_free(&halves);
    MPI_Type_free(&spread);
    MPI_Group_free(&others);
    MPI_Group_free(&world);
    if (rank == 0)
        printf("ok random: %d epochs\n", epochs);
    MPI_Finalize();
    return 0;
}
