/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of two ranks, or more, that never end: the watchdog of check mode tells of each
 * (hang.sh), and the program is ended after a while.
 *
 *   fence  a fence that one rank leaves out
 *   lock   two ranks that each hold the lock that the other one asks for
 *   start  a put to a target that never posts
 *   receive  a receive that never comes, while another rank waits for the receiver's lock
 *   barrier  a barrier of one rank, while another one waits for its MPI_Win_complete
 *   swap     messages in both directions of other tags than are awaited
 *   request  a wait for a request, while the other rank is in a fence
 *   dup      barriers on two communicators with the same ranks
 *   ring     three ranks, each in a barrier with its right neighbour
 *   halves   no hang: the reduction below, on one of several communicators of all ranks
 *   slow   no hang: a rank that computes for longer than the watchdog waits
 *   late     no hang: a rank that sleeps before it sends
 *   tell   no hang: ranks whose reports of races take long to be written
 *   reduce   no hang: a reduction that all ranks are in, and that takes long
 *   early    no hang: the same, of which one rank is through and waits for a message of the other
 *   copy     no hang: a put that takes long to copy, for which the other rank waits
 *
 * The program ends once the file is there that PROA_TEST_TOLD names.
 */
#include "check.h"
#include "window.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { LIFE_S = 60, LOOK_US = 200000, LATE_S = 3 };

static int other;

/* ---- standard error that is slow ---- */

static int held[2] = {-1, -1}, real_stderr; /* held: a pipe in its place, which is full at first */
static size_t filling;

static void hold_stderr(void)
{
    char space[4096] = {0};
    ssize_t written;

    CHECK(pipe(held) == 0, "there is no pipe");
    fcntl(held[0], F_SETFL, O_NONBLOCK);
    fcntl(held[1], F_SETFL, O_NONBLOCK);
    while ((written = write(held[1], space, sizeof space)) > 0)
        filling += (size_t)written;
    fcntl(held[1], F_SETFL, 0);
    real_stderr = dup(2);
    dup2(held[1], 2);
}

static void let_stderr_go(void)
{
    char some[4096];
    ssize_t got;

    while ((got = read(held[0], some, sizeof some)) > 0) {
        size_t skipped = filling < (size_t)got ? filling : (size_t)got;

        filling -= skipped;
        if (write(real_stderr, some + skipped, (size_t)got - skipped) < 0)
            _exit(1);
    }
}

static void end(int sig)
{
    static int looks, held_for;
    const char *told = getenv("PROA_TEST_TOLD");

    (void)sig;
    if (held[0] >= 0 && ++held_for > LATE_S * 1000000 / LOOK_US)
        let_stderr_go();
    if ((told && access(told, F_OK) == 0) || ++looks > LIFE_S * 1000000 / LOOK_US)
        _exit(0);
}

static void look_often(void)
{
    const struct itimerval often = {{0, LOOK_US}, {0, LOOK_US}};

    signal(SIGALRM, end);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void by_fence(MPI_Win win)
{
    struct area area;

    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Win_fence(0, win);
    area = open_area(kind_allocate, sizeof(long), 1, MPI_COMM_WORLD);
    close_area(&area);
}

static void by_lock(MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
    MPI_Win_unlock(other, win);
    MPI_Win_unlock(rank, win);
}

static void by_start(MPI_Win win)
{
    MPI_Group group = group_of_one(other);
    long word = 0;

    if (rank == 1) {
        MPI_Win_start(group, 0, win);
        MPI_Put(&word, 1, MPI_LONG, other, 0, 1, MPI_LONG, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
}

static void by_receive(MPI_Win win)
{
    long word = 0;

    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&word, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_unlock(0, win);
}

static void by_barrier(MPI_Win win)
{
    MPI_Group group = group_of_one(other);

    if (rank == 0) {
        MPI_Win_start(group, 0, win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Group_free(&group);
}

static void by_swap(MPI_Win win)
{
    long mine = 0, its = 0;

    (void)win;
    MPI_Sendrecv(&mine, 1, MPI_LONG, other, 0, &its, 1, MPI_LONG, other, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void by_request(MPI_Win win)
{
    MPI_Request request;
    long word = 0;

    if (rank == 0) {
        MPI_Irecv(&word, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_fence(0, win);
}

static void by_dup(MPI_Win win)
{
    MPI_Comm copy;

    (void)win;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(rank == 0 ? MPI_COMM_WORLD : copy);
    MPI_Barrier(rank == 0 ? copy : MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
}

static MPI_Comm comm_of_two(int first, int second)
{
    const int ranks[] = {first < second ? first : second, first < second ? second : first};
    MPI_Group world, two;
    MPI_Comm comm;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, ranks, &two);
    MPI_Comm_create(MPI_COMM_WORLD, two, &comm);
    MPI_Group_free(&world);
    MPI_Group_free(&two);
    return comm;
}

/* Rank 0 of each communicator is not that of the world. */
static void by_ring(MPI_Win win)
{
    MPI_Comm comms[16];

    (void)win;
    for (int i = 0; i < nranks; i++)
        comms[i] = comm_of_two(i, (i + 1) % nranks);
    MPI_Barrier(comms[rank]);
    MPI_Barrier(comms[(rank + nranks - 1) % nranks]);
    for (int i = 0; i < nranks; i++)
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i]);
}

/* Signals wake it meanwhile. */
static void sleep_long(void)
{
    struct timespec rest = {LATE_S, 0};

    while (nanosleep(&rest, &rest) != 0)
        ;
}

static void slowly(MPI_Win win)
{
    if (rank == 0)
        sleep_long();
    MPI_Win_fence(0, win);
}

static void late(MPI_Win win)
{
    long word = 0;

    (void)win;
    if (rank == 1) {
        sleep_long();
        MPI_Send(&word, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&word, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void tell(MPI_Win win)
{
    const long word = 1;

    hold_stderr();
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 2; i++)
        MPI_Put(&word, 1, MPI_LONG, other, 0, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    dup2(real_stderr, 2);
    let_stderr_go();
}

static void sum_slowly(void *in, void *sum, int *count, MPI_Datatype *type)
{
    (void)type;
    sleep_long();
    for (int i = 0; i < *count; i++)
        ((long *)sum)[i] += ((const long *)in)[i];
}

static void reduce(MPI_Win win)
{
    long mine = 1, sum = 0;
    MPI_Op op;

    (void)win;
    MPI_Op_create(sum_slowly, 0, &op);
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    CHECK(sum == 2, "the sum is %ld", sum);
}

/* The reduction is on one of several communicators of the same ranks. */
static void halves(MPI_Win win)
{
    MPI_Comm first, second, split;
    long mine = 1, sum = 0;
    MPI_Op op;

    (void)win;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_split(first, 0, rank, &split);
    MPI_Comm_dup(split, &second);
    MPI_Op_create(sum_slowly, 0, &op);
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, op, second);
    MPI_Op_free(&op);
    MPI_Comm_free(&first);
    MPI_Comm_free(&split);
    MPI_Comm_free(&second);
    CHECK(sum == nranks, "the sum is %ld", sum);
}

static void early(MPI_Win win)
{
    long mine = 1, sum = 0;
    MPI_Op op;

    (void)win;
    MPI_Op_create(sum_slowly, 0, &op);
    MPI_Reduce(&mine, &sum, 1, MPI_LONG, op, 0, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    if (rank == 0)
        MPI_Send(&sum, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&sum, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(sum == 2, "the sum is %ld", sum);
}

/* The copy of a put takes long: the library's memcpy is this one. */
enum { COPIED_SLOWLY = 12344, COPY_ROOM = 16384 };

#ifndef __SANITIZE_ADDRESS__
void *memcpy(void *to, const void *from, size_t bytes)
{
    if (bytes == COPIED_SLOWLY)
        sleep_long();
    return memmove(to, from, bytes);
}
#endif

static void copy(MPI_Win win)
{
    static char data[COPIED_SLOWLY];
    struct area area = open_area(kind_allocate, COPY_ROOM, 1, MPI_COMM_WORLD);

    (void)win;
    MPI_Win_lock_all(0, area.win);
    if (rank == 0) {
        MPI_Put(data, COPIED_SLOWLY, MPI_BYTE, 1, 0, COPIED_SLOWLY, MPI_BYTE, area.win);
        MPI_Win_flush(1, area.win);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(area.win);
    close_area(&area);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(MPI_Win win);
    } ways[] = {{"fence", by_fence},     {"lock", by_lock},       {"start", by_start},
                {"receive", by_receive}, {"barrier", by_barrier}, {"swap", by_swap},
                {"request", by_request}, {"slow", slowly},        {"late", late},
                {"reduce", reduce},      {"dup", by_dup},         {"ring", by_ring},
                {"halves", halves},      {"tell", tell},          {"early", early},
                {"copy", copy}};
    struct area area;

    start(&argc, &argv);
    other = 1 - rank;
    look_often();
    area = open_area(kind_allocate, sizeof(long), 1, MPI_COMM_WORLD);
    MPI_Win_set_name(area.win, "stuck");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            ways[i].run(area.win);
    close_area(&area);
    return finish("hang");
}
