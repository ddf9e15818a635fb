/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that is blocked in a one-sided call still moves its own messages. The odd rank of each
 * pair has begun a send of 8 MiB and then blocks in the call under test; the even one ends the
 * block only after it has received all of it. A message of this size needs its sender's help, so a
 * call that does not let the host work hangs.
 */
#include "window.h"

enum { bytes = 8 << 20 };

struct pair {
    MPI_Comm comm; /* the two ranks */
    MPI_Group other;
    MPI_Win win;
    char *message;
    MPI_Request sending;
};

static const int even = 0, odd = 1; /* ranks in the pair's communicator */

static void begin_send(struct pair *p)
{
    MPI_Isend(p->message, bytes, MPI_BYTE, even, 7, p->comm, &p->sending);
}

static void end_send(struct pair *p)
{
    MPI_Wait(&p->sending, MPI_STATUS_IGNORE);
}

static void receive(struct pair *p)
{
    memset(p->message, 0, bytes);
    MPI_Recv(p->message, bytes, MPI_BYTE, odd, 7, p->comm, MPI_STATUS_IGNORE);
    CHECK(p->message[0] == 'm' && p->message[bytes - 1] == 'm', "the message arrives damaged");
}

static void put_one(struct pair *p, int target)
{
    static const int one = 1;
    MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, p->win);
}

static void odd_in_wait(struct pair *p)
{
    MPI_Win_post(p->other, 0, p->win);
    begin_send(p);
    MPI_Win_wait(p->win);
    end_send(p);
}

static void odd_in_test(struct pair *p)
{
    MPI_Win_post(p->other, 0, p->win);
    begin_send(p);
    for (int done = 0; !done;)
        MPI_Win_test(p->win, &done);
    end_send(p);
}

static void even_accesses(struct pair *p)
{
    receive(p);
    MPI_Win_start(p->other, 0, p->win);
    put_one(p, odd);
    MPI_Win_complete(p->win);
}

static void odd_in_complete(struct pair *p)
{
    begin_send(p);
    MPI_Win_start(p->other, 0, p->win);
    put_one(p, even);
    MPI_Win_complete(p->win);
    end_send(p);
}

static void even_exposes(struct pair *p)
{
    receive(p);
    MPI_Win_post(p->other, 0, p->win);
    MPI_Win_wait(p->win);
}

static void odd_in_fence(struct pair *p)
{
    MPI_Win_fence(0, p->win);
    put_one(p, even);
    begin_send(p);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, p->win);
    end_send(p);
}

static void even_fences(struct pair *p)
{
    MPI_Win_fence(0, p->win);
    put_one(p, odd);
    receive(p);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, p->win);
}

static void odd_in_lock(struct pair *p)
{
    MPI_Recv(NULL, 0, MPI_INT, even, 8, p->comm, MPI_STATUS_IGNORE);
    begin_send(p);
    MPI_Win_lock(MPI_LOCK_SHARED, even, 0, p->win);
    put_one(p, even);
    MPI_Win_unlock(even, p->win);
    end_send(p);
}

static void odd_in_lock_all(struct pair *p)
{
    MPI_Recv(NULL, 0, MPI_INT, even, 8, p->comm, MPI_STATUS_IGNORE);
    begin_send(p);
    MPI_Win_lock_all(0, p->win);
    put_one(p, even);
    MPI_Win_unlock_all(p->win);
    end_send(p);
}

static void even_holds_lock(struct pair *p)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, even, 0, p->win);
    MPI_Send(NULL, 0, MPI_INT, odd, 8, p->comm);
    receive(p);
    MPI_Win_unlock(even, p->win);
}

static void odd_in_free(struct pair *p)
{
    begin_send(p);
    MPI_Win_free(&p->win);
    end_send(p);
}

static void even_frees(struct pair *p)
{
    receive(p);
    MPI_Win_free(&p->win);
}

static void odd_in_create(struct pair *p)
{
    void *base;
    MPI_Win_free(&p->win);
    begin_send(p);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, p->comm, &base, &p->win);
    end_send(p);
}

static void even_creates(struct pair *p)
{
    void *base;
    MPI_Win_free(&p->win);
    receive(p);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, p->comm, &base, &p->win);
}

static const struct {
    const char *blocked_in;
    void (*odd)(struct pair *);
    void (*even)(struct pair *);
} cases[] = {
    {"MPI_Win_wait", odd_in_wait, even_accesses},
    {"a loop of MPI_Win_test", odd_in_test, even_accesses},
    {"MPI_Win_complete", odd_in_complete, even_exposes},
    {"MPI_Win_fence", odd_in_fence, even_fences},
    {"MPI_Win_lock", odd_in_lock, even_holds_lock},
    {"MPI_Win_lock_all", odd_in_lock_all, even_holds_lock},
    {"MPI_Win_free", odd_in_free, even_frees},
    {"MPI_Win_allocate", odd_in_create, even_creates},
};
enum { ncases = sizeof cases / sizeof cases[0] };

static void run_case(int which, struct pair *p)
{
    int me;
    void *base;
    MPI_Comm_rank(p->comm, &me);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, p->comm, &base, &p->win);
    memset(p->message, 'm', bytes);
    if (me == odd)
        cases[which].odd(p);
    else
        cases[which].even(p);
    if (p->win != MPI_WIN_NULL)
        MPI_Win_free(&p->win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks < 2)
        return skip("needs 2 ranks");
    struct pair p = {.message = need(malloc(bytes))};
    int nboth, partner = 1 - rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &p.comm);
    MPI_Comm_size(p.comm, &nboth);
    if (nboth == 2) {
        p.other = group_of(p.comm, 1, &partner);
        for (int which = 0; which < ncases; which++)
            run_case(which, &p);
        MPI_Group_free(&p.other);
    } else { /* a rank left over */
        void *base;
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, p.comm, &base, &p.win);
        MPI_Win_free(&p.win);
    }
    MPI_Comm_free(&p.comm);
    free(p.message);
    return finish("host_progress");
}
