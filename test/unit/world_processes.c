/* SPDX-License-Identifier: BSD-3-Clause */
/* See world.h: each rank is a process. */
#include "world_ranks.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    GRACE_MS = 3000, /* between the first trouble and the end of the others */
    STILL_MS = 10000 /* to say where they stand still */
};

static pid_t launch(struct area *area, const struct world_plan *plan, int rank, int limit_s)
{
    pid_t parent = getpid(), pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing is left behind when the test is killed */
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    world_limit(limit_s);
    world_live(area, rank, plan);
    exit(EXIT_SUCCESS); /* not _exit: here sanitizers look for leaks */
}

static long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void signal_all(const pid_t *pids, int size, int number)
{
    for (int i = 0; i < size; i++)
        if (pids[i])
            kill(pids[i], number);
}

/* Processor time of all, in milliseconds. */
static long used_ms(const pid_t *pids, int size)
{
    struct timespec used;
    clockid_t clock;
    long ms = 0;

    for (int i = 0; i < size; i++)
        if (pids[i] && clock_getcpuclockid(pids[i], &clock) == 0 &&
            clock_gettime(clock, &used) == 0)
            ms += used.tv_sec * 1000 + used.tv_nsec / 1000000;
    return ms;
}

static int is_busy(pid_t pid, const char *thread)
{
    char path[300], line[512] = "";
    const char *state;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, thread);
    file = fopen(path, "re");
    if (!file)
        return 0;
    state = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return state && (state[2] == 'R' || state[2] == 'D');
}

/* Does a thread of them want a processor, or wait for a disk? */
static int are_busy(const pid_t *pids, int size)
{
    int busy = 0;

    for (int i = 0; i < size && !busy; i++) {
        char path[32];
        DIR *tasks;

        snprintf(path, sizeof path, "/proc/%d/task", (int)pids[i]);
        tasks = pids[i] ? opendir(path) : NULL;
        for (struct dirent *task = NULL; tasks && (task = readdir(tasks)) && !busy;)
            busy = task->d_name[0] != '.' && is_busy(pids[i], task->d_name);
        if (tasks)
            closedir(tasks);
    }
    return busy;
}

/* How long all ranks have stood still: a machine with other work does not make a rank late. */
struct stillness {
    long next_ms, used_ms, still_ms;
};

static void look(struct stillness *stillness, const pid_t *pids, int size)
{
    enum { PERIOD_MS = 1000 };
    long used;

    if (now_ms() < stillness->next_ms)
        return;
    used = used_ms(pids, size);
    if (used - stillness->used_ms < PERIOD_MS / 10 && !are_busy(pids, size))
        stillness->still_ms += PERIOD_MS;
    stillness->used_ms = used;
    stillness->next_ms = now_ms() + PERIOD_MS;
}

/* Waits for all; after the first trouble the others get a short time to end, or to report,
 * themselves, and those that stand still are asked to. Returns how many had trouble. */
static int wait_for_all(const struct area *area, pid_t *pids, int size, int limit_s)
{
    struct stillness stillness = {.next_ms = now_ms() + 1000};
    long end_ms = LONG_MAX;
    int left = size, troubles = 0, late = 0, status;

    while (left > 0) {
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid > 0) {
            int rank = 0;
            while (rank < size && pids[rank] != pid)
                rank++;
            pids[rank] = 0;
            left--;
            if (status == 0)
                continue;
            world_tell(area, rank, status, limit_s, late);
            if (troubles++ == 0 && end_ms == LONG_MAX)
                end_ms = now_ms() + GRACE_MS;
        } else if (pid < 0 && errno != EINTR) {
            break;
        } else if (now_ms() > end_ms && !late) {
            late = 1;
            signal_all(pids, size, SIGKILL);
        } else if (stillness.still_ms >= limit_s * 1000L && end_ms == LONG_MAX) {
            end_ms = now_ms() + STILL_MS;
            signal_all(pids, size, SIGALRM); /* as their own limit does */
        } else {
            look(&stillness, pids, size);
            world_sleep_us(500);
        }
    }
    return troubles;
}

void world_run(const struct world_plan *plan)
{
    struct area *area;
    int limit_s = world_limit_s(plan), troubles;
    pid_t pids[WORLD_MOST];

    if (plan->kernel)
        world_needs_kernel();
    area = world_area_open(plan->size);
    fflush(NULL);
    for (int i = 0; i < plan->size; i++) {
        pids[i] = launch(area, plan, i, limit_s);
        if (pids[i] < 0) {
            signal_all(pids, i, SIGKILL);
            fail_msg("fork: %s", strerror(errno));
        }
    }
    troubles = wait_for_all(area, pids, plan->size, limit_s);
    world_area_close(area);
    if (troubles)
        fail_msg("%d of %d processes failed", troubles, plan->size);
}

/* ---- what a process has ---- */

long world_mappings(const char *text)
{
    FILE *file = fopen("/proc/self/maps", "re");
    char line[512];
    long count = 0;

    CHECK(file);
    while (fgets(line, sizeof line, file))
        count += strstr(line, text) != NULL;
    fclose(file);
    return count;
}

uint64_t world_malloc_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

long world_open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    long count = 0;

    CHECK(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}
