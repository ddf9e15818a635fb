/* SPDX-License-Identifier: BSD-3-Clause */
/* The roll and its tree (job/roll.c), with all ranks of a job in this process: each message that is
 * awaited is sent, and no other, unless its sender has died. A rank's teller has a lower number, so
 * the ranks run one after the other, each with a clock of its own. The host and the process manager
 * are the test's. */
#include "base/system.h"
#include "host/pmpi.h"
#include "job/roll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1000, LATE = 2 };
#define SECOND 1000000000L

/* ---- the job ---- */

static char keys[MOST]; /* enum proa_key by rank */
static int size, rank;  /* of the rank that runs */
static int requests;    /* to the manager */
static int sent, heard, steps[MOST];
static int from[MOST]; /* 1 + the sender of the message that is under way to a rank; 0: none */
static int looks;      /* for the message that is awaited */
static int request_error;
static char dead[MOST];   /* after its key, and before its message */
static long clocks[MOST]; /* nanoseconds, of each rank */
static long comes[MOST];  /* when the message that is under way to a rank is there */
static int awaits_death;  /* the message that is awaited never comes */
static int given_up;      /* requests of messages that have not come */
static void *room;        /* of the message that is awaited */
static MPI_Errhandler now_on = MPI_ERRORS_ARE_FATAL;

/* By rank: processes of four machines. */
static uint64_t marks[MOST];

static uint64_t look(int of)
{
    requests++;
    return marks[of];
}

static const struct proa_manager manager = {.look = look};

/* ---- the host ---- */

static int isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                 MPI_Request *request)
{
    (void)tag, (void)request;
    assert_true(type == MPI_UINT64_T && comm == MPI_COMM_WORLD);
    assert_true(now_on == MPI_ERRORS_RETURN);
    assert_int_equal(count, size);
    assert_memory_equal(data, marks, size * sizeof *marks);
    assert_true(to > rank && to < size);
    assert_int_equal(from[to], 0);
    from[to] = 1 + rank;
    comes[to] = clocks[rank];
    steps[to] = ++steps[rank];
    sent++;
    looks = LATE;
    awaits_death = 0;
    return dead[to] ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request *request)
{
    (void)tag, (void)request;
    assert_true(type == MPI_UINT64_T && comm == MPI_COMM_WORLD);
    assert_true(now_on == MPI_ERRORS_RETURN);
    assert_int_equal(from[rank], dead[source] ? 0 : 1 + source);
    awaits_death = from[rank] == 0;
    room = data;
    looks = 0;
    if (!awaits_death) {
        from[rank] = 0;
        memcpy(data, marks, (size_t)count * sizeof *marks);
        heard++;
    }
    return MPI_SUCCESS;
}

static int test(MPI_Request *request, int *done, MPI_Status *status)
{
    (void)request, (void)status;
    *done = !awaits_death && clocks[rank] >= comes[rank] && ++looks > LATE;
    return request_error;
}

static int request_free(MPI_Request *request)
{
    (void)request;
    free(room); /* it is the host's by now */
    given_up++;
    return MPI_SUCCESS;
}

static int get_handler(MPI_Comm comm, MPI_Errhandler *handler)
{
    (void)comm;
    *handler = now_on;
    return MPI_SUCCESS;
}

static int set_handler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm;
    now_on = handler;
    return MPI_SUCCESS;
}

#define STANDS_IN(called, function)        \
    if (strcmp(name, "PMPI_" called) == 0) \
    memcpy(&symbol, &(__typeof__(&function)){function}, sizeof symbol)

void *proa_pmpi_symbol(const char *name)
{
    void *symbol = NULL;

    STANDS_IN("Isend", isend);
    STANDS_IN("Irecv", irecv);
    STANDS_IN("Test", test);
    STANDS_IN("Request_free", request_free);
    STANDS_IN("Comm_get_errhandler", get_handler);
    STANDS_IN("Comm_set_errhandler", set_handler);
    assert_non_null(symbol);
    return symbol;
}

/* ---- the clock ---- */

static long now_ns(void)
{
    return clocks[rank];
}

static long stop_ns; /* for which each rank is stopped at each look */

/* The machine is busy. */
static void rest(long ns)
{
    clocks[rank] += 100 * ns + stop_ns;
}

static const struct proa_system services = {.now_ns = now_ns, .rest = rest};

/* ---- tests ---- */

static void run_rank(void)
{
    uint64_t *roll = proa_roll_call(&manager, rank, size, 1);

    assert_non_null(roll);
    assert_memory_equal(roll, marks, size * sizeof *marks);
    assert_true(now_on == MPI_ERRORS_ARE_FATAL);
    free(roll);
}

static void mark_all(void)
{
    for (int i = 0; i < MOST; i++)
        marks[i] = keys[i] ? proa_mark((enum proa_key)keys[i], 1 + i, (uint64_t)(i % 4)) : 0;
}

static void run_job(int ranks)
{
    size = ranks;
    mark_all();
    requests = sent = heard = given_up = 0;
    memset(from, 0, sizeof from);
    memset(steps, 0, sizeof steps);
    memset(clocks, 0, sizeof clocks);
    memset(comes, 0, sizeof comes);
    for (rank = 0; rank < size; rank++)
        if (keys[rank] == PROA_KEY_TELLS && !dead[rank])
            run_rank();
    for (int i = 0; i < size; i++) {
        assert_true(from[i] == 0 || dead[i]);
        assert_true(stop_ns || clocks[i] < 20 * SECOND);
    }
}

static void all_tell(void **state)
{
    (void)state;
    memset(keys, PROA_KEY_TELLS, sizeof keys);
    for (int ranks = 1; ranks <= MOST; ranks = 5 * ranks / 4 + 1) {
        int bits = 0;

        run_job(ranks);
        assert_int_equal(given_up, 0);
        assert_int_equal(sent, heard);
        assert_int_equal(requests, 2 * ranks - 1);
        assert_int_equal(sent, ranks - 1);
        while (1 << bits < ranks)
            bits++;
        for (int i = 0; i < ranks; i++)
            assert_true(steps[i] >= 0 && steps[i] <= bits);
    }
}

static void some_do_not(void **state)
{
    (void)state;
    srand(29);
    for (int job = 0; job < 500; job++) {
        const int ranks = 1 + rand() % 70, of = 2 + rand() % 8;

        for (int i = 0; i < ranks; i++)
            keys[i] = (char)(rand() % of ? PROA_KEY_TELLS : rand() % 2);
        run_job(ranks);
    }
}

/* The children of the dead ask for all; those below them hear it in time. */
static void one_dies(void **state)
{
    enum { RANKS = 256 };

    (void)state;
    memset(keys, PROA_KEY_TELLS, sizeof keys);
    for (int one = 0; one < RANKS; one++) {
        const int children = one ? __builtin_ctz((unsigned)one) : 8;

        memset(dead, 0, sizeof dead);
        dead[one] = 1;
        run_job(RANKS);
        assert_int_equal(given_up, children);
        assert_true(requests <= (2 + children) * RANKS);
    }
    memset(dead, 0, sizeof dead);
}

static void many_die(void **state)
{
    (void)state;
    memset(keys, PROA_KEY_TELLS, sizeof keys);
    srand(30);
    for (int job = 0; job < 50; job++) {
        for (int i = 0; i < MOST; i++)
            dead[i] = rand() % 4 == 0;
        run_job(1 + rand() % MOST);
    }
    memset(dead, 0, sizeof dead);
}

/* Every message comes while the rank that awaits it is stopped, for longer than its patience. */
static void all_are_stopped(void **state)
{
    (void)state;
    memset(keys, PROA_KEY_TELLS, sizeof keys);
    stop_ns = 100 * SECOND;
    run_job(100);
    stop_ns = 0;
    assert_int_equal(given_up, 0);
    assert_int_equal(sent, heard);
    assert_int_equal(requests, 2 * 100 - 1);
}

/* The rank asks for all keys. */
static void a_host_that_fails(void **state)
{
    (void)state;
    size = 2;
    rank = 1;
    from[1] = 1;
    requests = given_up = 0;
    request_error = MPI_ERR_OTHER;
    run_rank();
    free(room);
    assert_int_equal(requests, 3);
    assert_int_equal(given_up, 0);
    request_error = MPI_SUCCESS;
}

/* A rank whose MPI was started by MPI_Session_init. */
static void a_rank_that_does_not(void **state)
{
    uint64_t *roll;

    (void)state;
    size = MOST;
    rank = 7;
    requests = sent = heard = 0;
    roll = proa_roll_call(&manager, rank, size, 0);
    assert_memory_equal(roll, marks, size * sizeof *marks);
    assert_int_equal(requests, MOST);
    assert_int_equal(sent + heard, 0);
    free(roll);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_tell),
        cmocka_unit_test(some_do_not),
        cmocka_unit_test(one_dies),
        cmocka_unit_test(many_die),
        cmocka_unit_test(all_are_stopped),
        cmocka_unit_test(a_host_that_fails),
        cmocka_unit_test(a_rank_that_does_not),
    };

    proa_system = &services;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
