/* SPDX-License-Identifier: BSD-3-Clause */
/* The roll and its tree (job/roll.c), with all ranks of a job in this process: each message that is
 * awaited is sent, and no other. A rank's teller has a lower number, so the ranks run one after the
 * other. The host and the process manager are the test's. */
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

/* ---- the job ---- */

static char keys[MOST]; /* enum proa_key by rank */
static int size, rank;  /* of the rank that runs */
static int requests;    /* to the manager */
static int sent, heard, steps[MOST];
static int from[MOST]; /* 1 + the sender of the message that is under way to a rank; 0: none */
static int looks;      /* for the message that is awaited */
static int request_error;

static enum proa_key look(int of)
{
    requests++;
    return (enum proa_key)keys[of];
}

static const struct proa_manager manager = {.look = look};

/* ---- the host ---- */

static int send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    (void)tag;
    assert_true(type == MPI_BYTE && comm == MPI_COMM_WORLD);
    assert_int_equal(count, size);
    assert_memory_equal(data, keys, size);
    assert_true(to > rank && to < size);
    assert_int_equal(from[to], 0);
    from[to] = 1 + rank;
    steps[to] = ++steps[rank];
    sent++;
    return MPI_SUCCESS;
}

static int irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request *request)
{
    (void)tag, (void)request;
    assert_true(type == MPI_BYTE && comm == MPI_COMM_WORLD);
    assert_int_equal(from[rank], 1 + source);
    from[rank] = 0;
    memcpy(data, keys, (size_t)count);
    looks = 0;
    heard++;
    return MPI_SUCCESS;
}

static int test(MPI_Request *request, int *done, MPI_Status *status)
{
    (void)request, (void)status;
    *done = ++looks > LATE;
    return request_error;
}

void *proa_pmpi_symbol(const char *name)
{
    void *symbol = NULL;

    if (strcmp(name, "PMPI_Send") == 0)
        memcpy(&symbol, &(__typeof__(&send)){send}, sizeof symbol);
    else if (strcmp(name, "PMPI_Irecv") == 0)
        memcpy(&symbol, &(__typeof__(&irecv)){irecv}, sizeof symbol);
    else if (strcmp(name, "PMPI_Test") == 0)
        memcpy(&symbol, &(__typeof__(&test)){test}, sizeof symbol);
    assert_non_null(symbol);
    return symbol;
}

/* ---- tests ---- */

/* As job/presence.c does; a rank without a teller asks for all. */
static void run_rank(void)
{
    char roll[MOST];
    const int teller = proa_roll_teller(&manager, rank);

    memset(roll, -1, sizeof roll);
    if (teller >= 0)
        assert_int_equal(proa_roll_hear(teller, roll, size), 1);
    else
        for (int i = 0; i < size; i++)
            roll[i] = (char)look(i);
    assert_memory_equal(roll, keys, size);
    proa_roll_tell(rank, roll, size);
}

static void run_job(int ranks)
{
    size = ranks;
    requests = sent = heard = 0;
    memset(from, 0, sizeof from);
    memset(steps, 0, sizeof steps);
    for (rank = 0; rank < size; rank++)
        if (keys[rank] == PROA_KEY_TELLS)
            run_rank();
    assert_int_equal(sent, heard);
    for (int i = 0; i < size; i++)
        assert_int_equal(from[i], 0);
}

static void all_tell(void **state)
{
    (void)state;
    memset(keys, PROA_KEY_TELLS, sizeof keys);
    for (int ranks = 1; ranks <= MOST; ranks = 5 * ranks / 4 + 1) {
        int bits = 0;

        run_job(ranks);
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

static void a_host_that_fails(void **state)
{
    char roll[2];

    (void)state;
    size = 2;
    rank = 1;
    from[1] = 1;
    request_error = MPI_ERR_OTHER;
    assert_int_equal(proa_roll_hear(0, roll, size), 0);
    request_error = MPI_SUCCESS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_tell),
        cmocka_unit_test(some_do_not),
        cmocka_unit_test(a_host_that_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
