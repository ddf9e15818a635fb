/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks without Proa (job/presence.c): which of a window's have none, and the same answer without
 * memory. The host and the process manager are the test's: with the header of the standard ABI, no
 * MPI is needed. */
#include "base/fail.h"
#include "host/pmpi.h"
#include "job/manager.h"
#include "job/presence.h"
#include "shm/process.h"
#include "window/win.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The ranks of the job; the absent ones are 4, 60 to 70, and from 200 on each second one; one
 * checks other things. */
enum { RANKS = 600, ABSENT = 4, FROM = 60, TO = 70, UNLIKE = 100, MANY = 200 };

/* Ranks whose processes have ended; those from ELSEWHERE on and before DEAD are on another
 * machine. */
enum { ELSEWHERE = 80, DEAD_ELSEWHERE, DEAD = 90 };

/* ---- memory, refused where the test says so (linked with --wrap) ---- */

static int refuses;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return refuses ? NULL : __real_calloc(count, bytes);
}

/* ---- the host ---- */

static int is_up;      /* MPI_COMM_WORLD exists; before that, all ranks of the job count */
static int last = -1;  /* the window's ranks are those from 5 to this one */
static int groups = 0; /* that are not freed */

static int initialized(int *flag)
{
    *flag = is_up;
    return MPI_SUCCESS;
}

static int comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = RANKS;
    return MPI_SUCCESS;
}

static int comm_group(MPI_Comm comm, MPI_Group *group)
{
    (void)comm;
    groups++;
    *group = (MPI_Group)(void *)&groups; /* any but MPI_GROUP_NULL */
    return MPI_SUCCESS;
}

static int group_free(MPI_Group *group)
{
    groups--;
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

static int translate(MPI_Group world, int count, const int ranks[], MPI_Group group, int places[])
{
    (void)world, (void)group;
    if (last < 0)
        return MPI_ERR_OTHER;
    for (int i = 0; i < count; i++)
        places[i] = ranks[i] > ABSENT && ranks[i] <= last ? ranks[i] - ABSENT : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int level = MPI_THREAD_SINGLE;

static int query_thread(int *provided)
{
    *provided = level;
    return MPI_SUCCESS;
}

static const struct proa_pmpi host = {.Query_thread = query_thread,
                                      .Initialized = initialized,
                                      .Comm_size = comm_size,
                                      .Comm_group = comm_group,
                                      .Group_free = group_free,
                                      .Group_translate_ranks = translate};
const struct proa_pmpi *proa_pmpi_filled = &host;

const struct proa_pmpi *proa_pmpi_fill(void)
{
    return &host;
}

/* ---- the process manager ---- */

static uint64_t is_put;

static pid_t ended; /* a process that is no more */

static pid_t process_of(int rank)
{
    return rank == DEAD || rank == DEAD_ELSEWHERE ? ended : rank ? getppid() : getpid();
}

static void put(uint64_t mark)
{
    is_put = mark;
}

static int is_here(void)
{
    return 1;
}

static uint64_t look(int rank)
{
    if (rank == ABSENT || (rank >= FROM && rank <= TO) || (rank >= MANY && rank % 2))
        return 0;
    return proa_mark((enum proa_key)(PROA_KEY_TELLS + (rank == UNLIKE ? 2 : 1) * PROA_KEY_CHECKS),
                     process_of(rank), proa_machine() + (rank >= ELSEWHERE && rank < DEAD));
}

static int knows; /* the manager knows of the dead, and says so of an absent rank too */

static int find_dead(int from)
{
    const int dead[] = {ABSENT, DEAD_ELSEWHERE, DEAD};

    for (int i = 0; i < 3 && knows; i++)
        if (dead[i] >= from)
            return dead[i];
    return -1;
}

static const char *name_host(int rank, char host_name[PROA_MANAGER_HOST])
{
    snprintf(host_name, PROA_MANAGER_HOST, "host-of-%d", rank);
    return host_name;
}

const struct proa_manager proa_manager_pmix = {put, is_here, look, find_dead, name_host},
                          proa_manager_pmi = {put, is_here, look, find_dead, name_host};

/* ---- messages: there are none where a session comes first (job/roll.h) ---- */

void *proa_pmpi_symbol(const char *name)
{
    fail_msg("%s is called", name);
    return NULL;
}

/* ---- tests ---- */

static void check_left(const char *why)
{
    assert_int_equal(proa_presence_check(MPI_COMM_WORLD), PROA_ELSEWHERE);
    assert_non_null(strstr(proa_failure(), why));
}

static void all_count(void **state)
{
    (void)state;
    is_up = 0;
    check_left("without Proa: 4, 60-70");
}

static void some_are_in(void **state)
{
    (void)state;
    is_up = 1;
    last = MANY - 1;
    check_left("without Proa: 60-70");
    last = FROM + 5; /* beyond the first few that are looked up */
    check_left("without Proa: 60-65");
    last = FROM - 1;
    assert_int_equal(proa_presence_check(MPI_COMM_WORLD), PROA_OK);
    assert_int_equal(groups, 0);
}

/* A process with a session may have no MPI_COMM_WORLD: it tells others nothing, in MPI_Init
 * neither.
 */
static void a_session_comes_first(void **state)
{
    (void)state;
    assert_int_equal(proa_mark_key(is_put), PROA_KEY_ALONE + PROA_KEY_CHECKS);
    proa_presence_put(1, 0);
    assert_int_equal(proa_mark_key(is_put), PROA_KEY_ALONE + PROA_KEY_CHECKS);
    proa_presence_look(0, RANKS, 1);
}

static void one_checks_other_things(void **state)
{
    (void)state;
    assert_false(proa_presence_checks_alike());
}

/* More of them than a line has room for. */
static void many_count(void **state)
{
    (void)state;
    is_up = 0;
    check_left("without Proa: 4, 60-70, 201, 203, 205");
    assert_string_equal(strrchr(proa_failure(), ',') - 5, ", 265, ...");
}

/* Others have memory, and leave the window to the host: this one must not do otherwise. */
static void no_memory(void **state)
{
    (void)state;
    is_up = 1;
    refuses = 1;
    last = MANY - 1;
    check_left("without Proa: 60-70");
    last = FROM - 1;
    assert_int_equal(proa_presence_check(MPI_COMM_WORLD), PROA_OK);
    refuses = 0;
}

static void a_host_that_fails(void **state)
{
    (void)state;
    is_up = 1;
    last = -1;
    check_left("does not tell");
    assert_int_equal(groups, 0);
}

/* Whether a process of another machine lives is not known here. */
static void one_is_dead(void **state)
{
    struct proa_presence_dead dead;
    char host_name[sizeof dead.host] = "";

    (void)state;
    is_up = 0;
    gethostname(host_name, sizeof host_name - 1);
    assert_int_equal(proa_presence_find_dead(MPI_COMM_WORLD, 0, &dead), DEAD);
    assert_int_equal(dead.pid, ended);
    assert_string_equal(dead.host, host_name);
    assert_int_equal(proa_presence_find_dead(MPI_COMM_WORLD, DEAD + 1, &dead), -1);
    is_up = 1;
    last = MANY - 1;
    assert_int_equal(proa_presence_find_dead(MPI_COMM_WORLD, 0, &dead), -1); /* rank 5 reports it */
    assert_int_equal(groups, 0);
}

/* The manager may know of it; but another thread may use the manager. */
static void one_is_dead_elsewhere(void **state)
{
    struct proa_presence_dead dead;

    (void)state;
    is_up = 0;
    knows = 1;
    assert_int_equal(proa_presence_find_dead(MPI_COMM_WORLD, 0, &dead), DEAD_ELSEWHERE);
    assert_int_equal(dead.pid, ended);
    assert_string_equal(dead.host, "host-of-81");
    assert_int_equal(proa_presence_find_dead(MPI_COMM_WORLD, DEAD_ELSEWHERE + 1, &dead), DEAD);
    assert_int_equal(proa_presence_find_dead(MPI_COMM_WORLD, DEAD + 1, &dead), -1);
    level = MPI_THREAD_MULTIPLE;
    assert_int_equal(proa_presence_find_dead(MPI_COMM_WORLD, 0, &dead), DEAD);
    level = MPI_THREAD_SINGLE;
    knows = 0;
}

static void end_one(void)
{
    ended = fork();
    if (ended == 0)
        _exit(0);
    waitpid(ended, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_comes_first),
        cmocka_unit_test(all_count),
        cmocka_unit_test(some_are_in),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(a_host_that_fails),
        cmocka_unit_test(one_checks_other_things),
        cmocka_unit_test(one_is_dead),
        cmocka_unit_test(one_is_dead_elsewhere),
        cmocka_unit_test(many_count),
    };

    end_one();
    proa_presence_put(0, 1);
    proa_presence_look(0, RANKS, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
