/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What PROA_STATS counts, as proa_stats_get tells it: operations and bytes by kind and way, calls,
 * waits, and how memory is reached, which MPI_Win_get_info tells as well. Without PROA_STATS
 * nothing is told.
 */
#include "check.h"
#include "asleep.h"
#include "proa.h"
#include "proa_notify.h"

#include <sched.h>
#include <sys/mman.h>

enum { words = 64 };

static int (*get_stats)(const void *win, struct proa_stats *stats, unsigned long size);
static int counts, over_nodes;

static struct proa_stats stats_of(MPI_Win win)
{
    struct proa_stats stats = {0};
    int code = get_stats(&win, &stats, sizeof stats);

    CHECK(code == (counts ? 0 : -1), "proa_stats_get gives %d", code);
    return stats;
}

static void check_row(const struct proa_stats *stats, enum proa_stats_row row,
                      unsigned long long count, unsigned long long bytes)
{
    unsigned long long sum = 0;

    if (!counts)
        return;
    CHECK(stats->calls[row].count == count, "row %d: %llu, not %llu", row, stats->calls[row].count,
          count);
    CHECK(stats->calls[row].waits <= 2 * count, "row %d: %llu waits", row, stats->calls[row].waits);
    for (int way = 0; row < PROA_STATS_OPERATIONS && way < PROA_STATS_WAYS; way++)
        sum += stats->operations[row][way].bytes;
    CHECK(sum == bytes, "row %d: %llu bytes, not %llu", row, sum, bytes);
}

static void check_info(MPI_Win win, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL + 1] = "(none)";
    MPI_Info info;
    int found;

    MPI_Win_get_info(win, &info);
    found = info_value(info, key, value, sizeof value);
    CHECK(found && strcmp(value, expected) == 0, "%s is %s, not %s", key, value, expected);
    MPI_Info_free(&info);
}

/* A delete function: the window's numbers have been gathered by then. */
static int is_freed(MPI_Win win, int key, void *count, void *state)
{
    struct proa_stats stats;

    (void)key, (void)state;
    CHECK(get_stats(&win, &stats, sizeof stats) == -1, "statistics of a window that is freed");
    ++*(int *)count;
    return MPI_SUCCESS;
}

static void free_watched(MPI_Win *win)
{
    int key, count = 0;

    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, is_freed, &key, NULL);
    MPI_Win_set_attr(*win, key, &count);
    MPI_Win_free(win);
    CHECK(count == 1, "the delete function is called %d times", count);
    MPI_Win_free_keyval(&key);
}

/* Some of each, to the right neighbour. The memory is the window's own. */
static void operations(void)
{
    long *memory, mine[8] = {1, 2, 3, 4, 5, 6, 7, 8}, result[8], zero = 0;
    int right = (rank + 1) % nranks;
    MPI_Request request;
    MPI_Datatype pair;
    MPI_Win win;

    MPI_Type_vector(2, 1, 3, MPI_LONG, &pair);
    MPI_Type_commit(&pair);
    MPI_Win_allocate(words * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 5; i++)
        MPI_Put(mine, 1, MPI_LONG, right, i, 1, MPI_LONG, win);
    for (int i = 0; i < 2; i++)
        MPI_Put(mine, 1, pair, right, 8, 1, pair, win);
    MPI_Rput(mine, 1, MPI_LONG, right, 16, 1, MPI_LONG, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Put(mine, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win); /* nothing is done */
    MPI_Get(result, 4, MPI_LONG, right, 0, 4, MPI_LONG, win);
    for (int i = 0; i < 3; i++)
        MPI_Accumulate(mine, 2, MPI_LONG, right, 20, 2, MPI_LONG, MPI_SUM, win);
    MPI_Get_accumulate(mine, 1, MPI_LONG, result, 1, MPI_LONG, right, 24, 1, MPI_LONG, MPI_SUM,
                       win);
    for (int i = 0; i < 2; i++)
        MPI_Fetch_and_op(mine, result, MPI_LONG, right, 25, MPI_SUM, win);
    MPI_Compare_and_swap(mine, &zero, result, MPI_LONG, right, 26, win);
    MPI_Win_flush(right, win);
    MPI_Win_flush_local_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);

    struct proa_stats stats = stats_of(win);
    check_row(&stats, PROA_STATS_PUT, 8, 5 * 8 + 2 * 16 + 8);
    check_row(&stats, PROA_STATS_GET, 1, 32);
    check_row(&stats, PROA_STATS_ACCUMULATE, 3, 3 * 16);
    check_row(&stats, PROA_STATS_GET_ACCUMULATE, 1, 8);
    check_row(&stats, PROA_STATS_FETCH_AND_OP, 2, 16);
    check_row(&stats, PROA_STATS_COMPARE_AND_SWAP, 1, 8);
    check_row(&stats, PROA_STATS_LOCK_ALL, 1, 0);
    check_row(&stats, PROA_STATS_UNLOCK_ALL, 1, 0);
    check_row(&stats, PROA_STATS_FLUSH, 2, 0);
    check_row(&stats, PROA_STATS_SYNC, 1, 0);
    check_row(&stats, PROA_STATS_FENCE, 0, 0);
    if (counts && !over_nodes) {
        CHECK(stats.operations[PROA_STATS_PUT][PROA_STATS_PLAIN].count == 6, "plain puts");
        CHECK(stats.operations[PROA_STATS_PUT][PROA_STATS_GENERAL].count == 2, "general puts");
        CHECK(stats.targets[PROA_STATS_PLAIN] == (unsigned)nranks, "targets by load and store");
        CHECK(stats.messages == 0, "messages on one node");
    } else if (counts) {
        CHECK(stats.operations[PROA_STATS_PUT][PROA_STATS_NETWORK].count == 8, "puts by network");
        CHECK(stats.targets[PROA_STATS_NETWORK] == 1, "targets by network");
        CHECK(stats.messages > 0, "messages between nodes");
    }
    if (counts)
        CHECK(stats.window_bytes == words * sizeof *memory, "%llu bytes", stats.window_bytes);
    check_info(win, "proa_memory", over_nodes ? "mixed" : "load_store");
    check_info(win, "proa_progress", over_nodes ? "agent" : "origin");
    free_watched(&win);
    MPI_Type_free(&pair);
}

/* Between post and wait; and fences. */
static void active(void)
{
    long *memory, one = 1;
    int right = (rank + 1) % nranks;
    MPI_Group group;
    MPI_Win win;
    int flag = 0;

    MPI_Win_allocate(words * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    MPI_Win_set_name(win, "a \"name\"\033[1m\302\233");
    MPI_Win_get_group(win, &group);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < 3; i++) {
        MPI_Win_post(group, 0, win);
        MPI_Win_start(group, 0, win);
        MPI_Put(&one, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Win_post(group, 0, win);
    MPI_Win_start(group, 0, win);
    MPI_Win_complete(win);
    while (!flag)
        MPI_Win_test(win, &flag);
    struct proa_stats stats = stats_of(win);
    check_row(&stats, PROA_STATS_FENCE, 2, 0);
    check_row(&stats, PROA_STATS_PUT, 4, 32);
    check_row(&stats, PROA_STATS_POST, 4, 0);
    check_row(&stats, PROA_STATS_START, 4, 0);
    check_row(&stats, PROA_STATS_COMPLETE, 4, 0);
    check_row(&stats, PROA_STATS_WAIT, 3, 0);
    CHECK(!counts || stats.calls[PROA_STATS_TEST].count > 0, "tests");
    MPI_Group_free(&group);
    MPI_Win_free(&win);
}

/* Memory of the program's that stays where it is: PROA_ADOPT=never. Reached through the kernel; or,
 * where that is refused, by the target's agent, as over a network. */
static void kernel(void)
{
    const int way = getenv("PROA_TEST_SERVED") ? PROA_STATS_NETWORK : PROA_STATS_KERNEL;
    static long memory[words];
    const char *adopt = getenv("PROA_ADOPT");
    long one = 1;
    MPI_Win win;

    if (!adopt || strcmp(adopt, "never") != 0 || nranks < 2)
        return;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_LONG, (rank + 1) % nranks, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    struct proa_stats stats = stats_of(win);
    if (counts) {
        CHECK(stats.operations[PROA_STATS_PUT][way].count == 1, "puts by the kernel");
        CHECK(stats.targets[way] == (unsigned)nranks - 1, "targets by the kernel");
    }
    check_info(win, "proa_memory", "mixed");
    MPI_Win_free(&win);
}

/* What rank 0 sees of rank 1: whether it is asleep, which it only is while it waits. */
static struct {
    MPI_Win win;
    volatile int *here; /* rank 1 is about to wait */
    int pid;            /* of rank 1 */
} watched;

static void watch(void)
{
    MPI_Aint size;
    int unit;

    watched.pid = getpid();
    MPI_Bcast(&watched.pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Win_allocate_shared(sizeof *watched.here, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            (void *)&watched.here, &watched.win);
    *watched.here = 0;
    MPI_Win_shared_query(watched.win, 1, &size, &unit, (void *)&watched.here);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 comes back once rank 1, for whom it returns at once, is asleep after this. */
static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        *watched.here = 1;
        return;
    }
    while (!*watched.here || state_of(watched.pid) != 'S')
        sched_yield();
    *watched.here = 0;
}

static void check_waited(MPI_Win win, enum proa_stats_row row, const char *what)
{
    struct proa_stats stats = stats_of(win);

    for (int i = 0; counts && i < PROA_STATS_CALLS; i++)
        if (i == (int)row)
            CHECK((stats.calls[i].waits > 0) == (rank == 1), "%llu waits %s", stats.calls[i].waits,
                  what);
        else if (i != PROA_STATS_UNLOCK && i != PROA_STATS_WAIT && i != PROA_STATS_COMPLETE)
            CHECK(stats.calls[i].waits == 0, "%llu waits in row %d, %s", stats.calls[i].waits, i,
                  what);
}

/* A lock that is held by rank 0 until rank 1 waits for it. */
static void contended_lock(MPI_Win win)
{
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    meet();
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_unlock(0, win);
    struct proa_stats stats = stats_of(win);
    check_row(&stats, PROA_STATS_LOCK, 1, 0);
    check_waited(win, PROA_STATS_LOCK, "for the lock");
}

/* Start returns at once, and the first operation waits for the post. */
static void late_post(MPI_Win win)
{
    const int other = 1 - rank;
    MPI_Group group, all;
    long one = 1;

    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &other, &group);
    meet();
    if (rank == 0) {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(group, 0, win);
        MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
        MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_complete(win);
    }
    check_waited(win, PROA_STATS_ACCUMULATE, "for the post");
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

/* A wait in a call that is not counted is not added to the next call that is. */
static void late_free(MPI_Win win, MPI_Win *other)
{
    long one = 1;

    meet();
    MPI_Win_free(other);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
    check_waited(win, PROA_STATS_CALLS, "for MPI_Win_free");
}

static void waits(void)
{
    void (*const cases[])(MPI_Win) = {contended_lock, late_post};
    MPI_Win win, other;
    long *memory;

    if (nranks != 2 || over_nodes)
        return;
    watch();
    for (int i = 0; i < 3; i++) {
        MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                         &win);
        if (i < 2) {
            cases[i](win);
        } else {
            MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &other);
            late_free(win, &other);
        }
        MPI_Win_free(&win);
    }
    MPI_Win_free(&watched.win);
}

/* Notified operations are counted as the plain ones, and once more as notified. */
static void notified(void)
{
    const long mine[4] = {1, 2, 3, 4};
    int right = (rank + 1) % nranks, number = 0;
    MPI_Request request;
    MPI_Win win;
    long *memory;

    MPI_Win_allocate(words * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    PROA_Win_set_num_notify(win, MPI_INFO_NULL, 1);
    PROA_Win_get_num_notify(win, right, &number); /* of another node: waits for the answer */
    CHECK(number == 1, "%d counters", number);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    struct proa_stats locked = stats_of(win);
    CHECK(locked.calls[PROA_STATS_LOCK_ALL].waits == 0, "a lock that none holds is waited for");
    PROA_Put_notify(mine, 4, MPI_LONG, right, 0, 4, MPI_LONG, 0, win);
    PROA_Rput_notify(mine, 1, MPI_LONG, right, 8, 1, MPI_LONG, 0, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    PROA_Accumulate_notify(mine, 1, MPI_LONG, right, 9, 1, MPI_LONG, MPI_SUM, 0, win);
    MPI_Put(mine, 1, MPI_LONG, right, 10, 1, MPI_LONG, win);
    PROA_Win_wait_notify(win, 0, 3);
    MPI_Win_unlock_all(win);

    struct proa_stats stats = stats_of(win);
    check_row(&stats, PROA_STATS_PUT, 3, 6 * sizeof *mine);
    check_row(&stats, PROA_STATS_ACCUMULATE, 1, sizeof *mine);
    check_row(&stats, PROA_STATS_WAIT_NOTIFY, 1, 0);
    CHECK(!counts || stats.notified == 3, "%llu notified operations", stats.notified);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("PROA_STATS");
    MPI_Win none = MPI_WIN_NULL;
    struct proa_stats stats;

    start(&argc, &argv);
    counts = wanted != NULL;
    over_nodes = getenv("PROA_TEST_NODES") != NULL;
    get_stats = (int (*)(const void *, struct proa_stats *, unsigned long))dlsym(RTLD_DEFAULT,
                                                                                 "proa_stats_get");
    if (get_stats) {
        CHECK(get_stats(&none, &stats, sizeof stats) == -1, "statistics of no window");
        operations();
        active();
        kernel();
        waits();
        notified();
    }
    return finish("stats");
}
