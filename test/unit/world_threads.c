/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See world.h: each rank is a thread, and all of them are in one process, where ThreadSanitizer
 * sees them. Each has statics of its own, since each runs a copy of this program: core, test and
 * this file are one shared object, and a copy of that file is another object for the loader.
 *
 * The runner (threads_runner.c) runs main() of the first copy, the parent. For each world that
 * forks a process and opens a copy for each rank there. Each rank's thread runs main() of its copy,
 * and in it the same test up to the same call of world_run(), so that the plan it finds there has
 * the functions and data of its own copy.
 */
#include "threads_runner.h"
#include "world_ranks.h"
#include "base/settings.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Which call of world_run(). */
struct call {
    long test, call; /* the number of the test, and of its call, from 1 on */
};

/* A world, as its ranks know it. */
struct ranks {
    struct area *area;
    struct call call;
    int size, limit_s;
    pthread_mutex_t environment; /* of all; each rank reads its settings from it in turn */
};

struct rank {
    struct ranks *all;
    int number;
    pthread_t thread;
};

enum { COPY_FILES = 500 }; /* their descriptors, out of the way of the test's */

int __real__cmocka_run_group_tests(const char *, const struct CMUnitTest *, size_t,
                                   CMFixtureFunction, CMFixtureFunction);
int __wrap__cmocka_run_group_tests(const char *, const struct CMUnitTest *, size_t,
                                   CMFixtureFunction, CMFixtureFunction);

static const struct rank *self; /* NULL: in the parent */
static struct call last;        /* in this copy */

/* ---- the tests ---- */

static int test_begins(void **state)
{
    (void)state;
    last.test++;
    last.call = 0;
    return 0;
}

/* In the parent, all tests by cmocka. */
static int run_all(const char *name, const struct CMUnitTest *tests, size_t count,
                   CMFixtureFunction begin, CMFixtureFunction end)
{
    struct CMUnitTest *counted = calloc(count, sizeof *counted);
    int failures;

    if (!counted)
        abort();
    memcpy(counted, tests, count * sizeof *counted);
    for (size_t i = 0; i < count; i++)
        counted[i].setup_func = test_begins;
    failures = __real__cmocka_run_group_tests(name, counted, count, begin, end);
    free(counted);
    return failures;
}

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction begin, CMFixtureFunction end)
{
    void *state = NULL;

    if (!self)
        return run_all(name, tests, count, begin, end);
    last.test = self->all->call.test;
    tests[last.test - 1].test_func(&state);
    fprintf(stderr, "threads: rank %d does not come to call %ld of world_run\n", self->number,
            self->all->call.call);
    _exit(EXIT_FAILURE);
}

/* ---- in a rank ---- */

static const struct world_plan *found;

static void before(struct world *world)
{
    pthread_mutex_lock(&self->all->environment);
    if (found->before)
        found->before(world);
    (void)proa_settings();
    pthread_mutex_unlock(&self->all->environment);
}

static void live(const struct world_plan *plan)
{
    struct world_plan own = *plan;

    found = plan;
    own.before = before;
    world_live(self->all->area, self->number, &own);
    pthread_exit(NULL);
}

void *threads_rank(void *arg)
{
    self = arg;
    threads_main();
    return NULL;
}

/* Files and mappings are those of all ranks, and change while a rank looks. */
long world_mappings(const char *text)
{
    (void)text;
    return 0;
}

/* glibc starts its own malloc at the first call of mallinfo2, as ThreadSanitizer has taken all
 * calls of malloc. That start is not safe among threads. */
uint64_t world_malloc_bytes(void)
{
    return 0;
}

long world_open_files(void)
{
    return 0;
}

/* ---- in the process of the ranks ---- */

static void failed(const char *what)
{
    fprintf(stderr, "threads: %s: %s\n", what, strerror(errno));
    _exit(EXIT_FAILURE);
}

/* Opens a copy of this object. Its file has no name but that of the descriptor, by which reports
 * find the names of functions: it stays open. */
static void *copy_open(const char *path, int number)
{
    int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("rank", 0);
    char name[64];
    struct stat file;
    void *copy;

    if (from < 0 || to < 0 || fstat(from, &file) != 0)
        failed(path);
    for (off_t at = 0; at < file.st_size;)
        if (sendfile(to, from, &at, (size_t)(file.st_size - at)) <= 0)
            failed("sendfile");
    close(from);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fcntl(to, F_DUPFD, COPY_FILES + number));
    close(to);
    copy = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!copy) {
        fprintf(stderr, "threads: %s\n", dlerror());
        _exit(EXIT_FAILURE);
    }
    return copy;
}

static void run_ranks(struct ranks *all)
{
    struct rank ranks[WORLD_MOST];
    threads_function *run[WORLD_MOST] = {NULL};
    sigset_t signals;
    Dl_info own;

    if (!dladdr(&last, &own))
        failed("dladdr");
    for (int i = 0; i < all->size; i++)
        *(void **)&run[i] = dlsym(copy_open(own.dli_fname, i), "threads_rank");
    for (int i = 0; i < all->size; i++) {
        ranks[i] = (struct rank){.all = all, .number = i};
        if (pthread_create(&ranks[i].thread, NULL, run[i], &ranks[i]) != 0)
            failed("pthread_create");
    }
    sigfillset(&signals); /* the ranks' business */
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    for (int i = 0; i < all->size; i++)
        pthread_join(ranks[i].thread, NULL);
}

static pid_t launch(struct ranks *all)
{
    pid_t parent = getpid(), pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing is left behind when the test is killed */
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    world_limit(all->limit_s * all->size);
    run_ranks(all);
    exit(EXIT_SUCCESS); /* not _exit: here ThreadSanitizer says whether it has reported */
}

/* ---- in the parent ---- */

static void tell(const struct ranks *all, int status)
{
    int reported = 0;

    for (int i = 0; i < all->size; i++)
        reported += world_has_reported(all->area, i);
    for (int i = 0; i < all->size; i++)
        if (!reported || world_has_reported(all->area, i))
            world_tell(all->area, i, status, all->limit_s, 0);
}

void world_run(const struct world_plan *plan)
{
    struct ranks all = {.size = plan->size,
                        .limit_s = world_limit_s(plan),
                        .environment = PTHREAD_MUTEX_INITIALIZER};
    int status = -1;
    pid_t pid;

    last.call++;
    if (self && self->all->call.call == last.call)
        live(plan);
    if (self)
        return;
    all.call = last;
    all.area = world_area_open(plan->size);
    fflush(NULL);
    pid = launch(&all);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        fail_msg("fork or waitpid: %s", strerror(errno));
    if (status)
        tell(&all, status);
    world_area_close(all.area);
    if (status)
        fail_msg("the process of %d ranks failed", plan->size);
}
