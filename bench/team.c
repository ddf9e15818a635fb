/* SPDX-License-Identifier: BSD-3-Clause */
/* See team.h. */
#define _GNU_SOURCE
#include "team.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct member {
    struct team team;
    team_body *body;
    bool everybody;
    uint64_t loop; /* number of the loop */
};

/* As every process has to run before it is over, one word for all does: the last to arrive opens.
 */
void team_barrier(struct team *team)
{
    struct board *board = team->board;
    uint64_t number = ++team->counter;

    if (__atomic_fetch_add(&board->arrived.value, 1, __ATOMIC_SEQ_CST) + 1 ==
        number * (uint64_t)team->size)
        team_tell(&board->passed, number);
    else
        team_wait(team, &board->passed, number);
}

static void *map(size_t bytes, int how)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("limit: mmap");
        exit(1);
    }
    return memory;
}

/* All processes of a loop that all run start it together. */
static void gather(struct member *m)
{
    struct board *board = m->team.board;

    if (!m->everybody)
        return;
    __atomic_fetch_add(&board->gathered.value, 1, __ATOMIC_SEQ_CST);
    team_wait(&m->team, &board->gathered, m->loop * (uint64_t)m->team.size);
}

static double lead_loop(void *arg, long n)
{
    struct member *m = arg;
    double start_ns;

    m->loop++;
    /* partner of both: team_wait in follow */
    __atomic_store_n(&m->team.board->iterations, n, __ATOMIC_RELAXED);
    team_tell(&m->team.board->go, m->loop);
    if (n == 0)
        return 0;
    gather(m);
    start_ns = loop_now_ns();
    m->body(&m->team, n);
    return loop_now_ns() - start_ns;
}

/* In loops that all run the leader cannot be ahead, because all gather. In the others it can, and
 * then a loop is missed that was not for this process anyway. */
static void follow(struct member *m)
{
    for (;;) {
        long n;

        m->loop++;
        team_wait(&m->team, &m->team.board->go, m->loop);
        n = __atomic_load_n(&m->team.board->iterations, __ATOMIC_RELAXED);
        if (n == 0)
            return;
        if (!m->everybody)
            continue;
        gather(m);
        m->body(&m->team, n);
    }
}

/* Where there are enough processors each process stays on one of its own: on a machine that is busy
 * otherwise the scheduler may well put two that wait for each other on the same. */
static void stay(const struct team *team)
{
    cpu_set_t allowed, mine;
    int left = team->rank;

    if (team->crowded || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    CPU_ZERO(&mine);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && left-- == 0)
            CPU_SET(cpu, &mine);
    sched_setaffinity(0, sizeof mine, &mine);
}

/* Touched by each process for itself: private pages that are never written would all be the same
 * page of zeros. */
static void prepare(struct member *m, int rank, size_t bytes)
{
    m->team.rank = rank;
    stay(&m->team);
    m->team.local = (char *)map(bytes + PAGE, MAP_PRIVATE) + PAGE / 2; /* as rma's (window.c) */
    memset(m->team.local, 0, bytes);
    memset(m->team.private_memory, 0, bytes);
}

static void fork_followers(struct member *m, size_t bytes)
{
    pid_t leader = getpid();

    m->team.board->pid[0] = leader;
    for (int rank = 1; rank < m->team.size; rank++) {
        pid_t pid = fork();

        if (pid < 0) {
            perror("limit: fork");
            exit(1); /* which ends those that have been made */
        }
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != leader)
                _exit(1);
            prepare(m, rank, bytes);
            __atomic_fetch_add(&m->team.board->ready.value, 1, __ATOMIC_SEQ_CST);
            follow(m);
            _exit(0);
        }
        m->team.board->pid[rank] = pid;
    }
    prepare(m, 0, bytes);
    team_wait(&m->team, &m->team.board->ready, (uint64_t)m->team.size - 1);
}

/* That this program may use. */
static int processors(void)
{
    cpu_set_t allowed;

    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

/* Makes the processes, with their memory, for a body that the caller has set. */
static void begin(struct member *m, int size, size_t bytes)
{
    m->team.size = size;
    m->team.bytes = bytes;
    m->team.crowded = size > processors();
    m->team.board = map(sizeof *m->team.board, MAP_SHARED);
    m->team.memory = memset(map(bytes, MAP_SHARED), 0, bytes);
    m->team.private_memory = map(bytes, MAP_PRIVATE);
    fork_followers(m, bytes);
}

static void end(struct member *m)
{
    lead_loop(m, 0);
    while (wait(NULL) > 0)
        ;
}

struct loop_figure team_measure(const struct loop_plan *plan, int size, size_t bytes,
                                team_body *body, bool everybody)
{
    struct loop_plan suited = size > 2 ? loop_plan_crowded(plan) : *plan;
    struct member m = {.body = body, .everybody = everybody};
    struct loop_figure figure;

    begin(&m, size, bytes);
    figure = loop_measure(&suited, lead_loop, &m);
    end(&m);
    return figure;
}

struct loop_figure team_sample(int samples, int size, team_body *body)
{
    struct member m = {.body = body, .everybody = true};
    double values[LOOPS_MOST];

    begin(&m, size, PAGE);
    for (int i = 0; i < samples; i++) {
        lead_loop(&m, 1);
        values[i] = m.team.took_ns;
    }
    end(&m);
    return loop_figure_of(values, samples);
}
