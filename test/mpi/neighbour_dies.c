/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last rank ends without a word while its neighbours wait for it: each call that can wait
 * returns an error that names the rank, and a lock that it held is for the others to have. Options
 * keep the launcher from ending the job (test/mpi/CMakeLists.txt).
 */
#include "check.h"

#include <proa_notify.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { fenced, freed, posted, asked, held, noted, windows };

static MPI_Win wins[windows];
static long *memory[windows];

static void make_windows(void)
{
    for (int i = 0; i < windows; i++) {
        MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i],
                         &wins[i]);
        memory[i][0] = 0;
        MPI_Win_set_errhandler(wins[i], MPI_ERRORS_RETURN);
        MPI_Win_fence(0, wins[i]);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, wins[i]);
    }
    PROA_Win_set_num_notify(wins[noted], MPI_INFO_NULL, 2);
}

static void is_told(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "", sentence[40];
    int length, class;
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_OTHER, "class %d", class);
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    snprintf(sentence, sizeof sentence, "rank %d is gone", nranks - 1);
    CHECK(strstr(text, sentence) != NULL, "%s", text);
}

/* On another node the lock is asked for by what follows. */
static int lock_and_unlock(int type, int target, MPI_Win win)
{
    int code = MPI_Win_lock(type, target, 0, win);
    return code == MPI_SUCCESS ? MPI_Win_unlock(target, win) : code;
}

/* Which rank would count is not known: all waits for counters of a window with a dead rank fail. A
 * counter that has come to its value is there all the same. */
static void wait_for_notifications(void)
{
    const int indices[] = {0, 1};
    const MPI_Count expected[] = {5, 5}, come[] = {5, 1};
    MPI_Request requests[2];
    int n = -1, which[2] = {-1, -1}, flag = 0;
    is_told(PROA_Win_wait_notify(wins[noted], 0, 1));
    is_told(PROA_Win_waitsome_notify(wins[noted], 2, indices, expected, &n, which));
    PROA_Win_notify_ithreshold(wins[noted], 0, 1, &requests[0]);
    is_told(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, wins[noted]);
    PROA_Put_notify(NULL, 0, MPI_INT, rank, 0, 0, MPI_INT, 1, wins[noted]);
    MPI_Win_unlock(rank, wins[noted]);
    CHECK(PROA_Win_wait_notify(wins[noted], 1, 1) == MPI_SUCCESS, "its own notification");
    CHECK(PROA_Win_waitsome_notify(wins[noted], 2, indices, come, &n, which) == MPI_SUCCESS &&
              n == 1 && which[0] == 1,
          "%d have come, first %d", n, which[0]);
    PROA_Win_notify_ithreshold(wins[noted], 1, 1, &requests[1]);
    CHECK(MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag,
          "its own notification is no complete request");
    is_told(PROA_Win_set_num_notify(wins[noted], MPI_INFO_NULL, 3));
}

static void wait_for_the_dead(int dead)
{
    MPI_Group all, one;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &dead, &one);
    is_told(MPI_Win_fence(0, wins[fenced]));
    is_told(MPI_Win_free(&wins[freed]));
    MPI_Win_post(one, 0, wins[posted]);
    is_told(MPI_Win_wait(wins[posted]));
    is_told(lock_and_unlock(MPI_LOCK_EXCLUSIVE, dead, wins[asked]));
    is_told(lock_and_unlock(MPI_LOCK_SHARED, dead, wins[asked]));
}

static void take_its_lock(void)
{
    long value = -1;
    CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, wins[held]) == MPI_SUCCESS, "it is refused");
    MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, wins[held]);
    CHECK(MPI_Win_unlock(0, wins[held]) == MPI_SUCCESS, "it is refused");
    CHECK(value == 7, "%ld", value);
    CHECK(MPI_Win_lock_all(0, wins[held]) == MPI_SUCCESS, "it is refused");
    CHECK(MPI_Win_unlock_all(wins[held]) == MPI_SUCCESS, "it is refused");
}

static void die(int dead)
{
    long seven = 7;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, dead, 0, wins[asked]);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, wins[held]);
    MPI_Put(&seven, 1, MPI_LONG, 0, 0, 1, MPI_LONG, wins[held]);
    MPI_Win_flush(0, wins[held]);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(100000); /* what the host still moves for the others */
    _exit(0);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int dead = nranks - 1;
    MPI_Comm survivors;
    MPI_Comm_split(MPI_COMM_WORLD, rank == dead, 0, &survivors);
    make_windows();
    check_served();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == dead)
        die(dead);
    MPI_Barrier(MPI_COMM_WORLD);
    wait_for_the_dead(dead);
    take_its_lock();
    wait_for_notifications();
    MPI_Allreduce(MPI_IN_PLACE, &check_failures, 1, MPI_LONG, MPI_SUM, survivors);
    if (rank == 0 && check_failures == 0)
        printf("the others live\n");
    fflush(stdout);
    usleep(500000); /* the launcher has to pass that on */
    _exit(check_failures != 0);
}
