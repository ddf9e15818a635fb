/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many instructions an iteration takes: the program that bench/instructions runs under
 * callgrind, on one rank.
 *
 *   instructions N CASE...    for each: warms up, then does N iterations in counted(), which is all
 *                             that callgrind collects
 *   instructions --list       the cases
 *   instructions --system     what the figures depend on besides: compiler and MPI
 *
 * Plain MPI. With PROA_EXPECT=1 in the environment it fails unless the window is Proa's.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "proa_notify.h"

enum { WARM = 100, WORDS = 512 };

/* What the cases work with: the window, of WORDS longs, a group of this rank alone, a type. */
static MPI_Win win;
static MPI_Win dynamic; /* with the same number of longs attached */
static long attached[WORDS];
static MPI_Aint place; /* of one of them */
static MPI_Group self;
static MPI_Datatype vector; /* 8 longs, every other one */
static long value = 1, before, compare;

static void put(void)
{
    MPI_Put(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
}

static void put_flush(void)
{
    put();
    MPI_Win_flush(0, win);
}

static void get_flush(void)
{
    MPI_Get(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
}

static void put_nothing(void)
{
    MPI_Put(&value, 0, MPI_LONG, 0, 1, 0, MPI_LONG, win);
}

static void put_nowhere(void)
{
    MPI_Put(&value, 1, MPI_LONG, MPI_PROC_NULL, 1, 1, MPI_LONG, win);
}

static void accumulate_nothing(void)
{
    MPI_Accumulate(&value, 0, MPI_LONG, 0, 1, 0, MPI_LONG, MPI_SUM, win);
}

static void put_notify(void)
{
    PROA_Put_notify(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, 0, win);
}

static void put_notify_nothing(void)
{
    PROA_Put_notify(&value, 0, MPI_LONG, 0, 1, 0, MPI_LONG, 0, win);
}

/* For a counter that has come to its value. */
static void wait_notify(void)
{
    PROA_Win_wait_notify(win, 0, 0);
}

static void put_vector_flush(void)
{
    static long values[8];

    MPI_Put(values, 8, MPI_LONG, 0, 1, 1, vector, win);
    MPI_Win_flush(0, win);
}

static void put_dynamic_flush(void)
{
    MPI_Put(&value, 1, MPI_LONG, 0, place, 1, MPI_LONG, dynamic);
    MPI_Win_flush(0, dynamic);
}

static void get_dynamic_flush(void)
{
    MPI_Get(&value, 1, MPI_LONG, 0, place, 1, MPI_LONG, dynamic);
    MPI_Win_flush(0, dynamic);
}

static void accumulate_flush(void)
{
    MPI_Accumulate(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(0, win);
}

static void fetch_and_op_flush(void)
{
    MPI_Fetch_and_op(&value, &before, MPI_LONG, 0, 1, MPI_SUM, win);
    MPI_Win_flush(0, win);
}

static void compare_and_swap_flush(void)
{
    MPI_Compare_and_swap(&value, &compare, &before, MPI_LONG, 0, 1, win);
    MPI_Win_flush(0, win);
}

static void rput_wait(void)
{
    MPI_Request request;

    MPI_Rput(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win, &request);
    /* The checker knows no request forms. NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker) */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void lock_put_unlock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    put();
    MPI_Win_unlock(0, win);
}

static void lock_shared_put_unlock(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    put();
    MPI_Win_unlock(0, win);
}

static void sync_window(void)
{
    MPI_Win_sync(win);
}

static void pscw(void)
{
    MPI_Win_post(self, 0, win);
    MPI_Win_start(self, 0, win);
    put();
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

static void put_fence(void)
{
    put();
    MPI_Win_fence(0, win);
}

enum epoch { EPOCH_ALL, EPOCH_DYNAMIC, EPOCH_FENCE, EPOCH_OWN };

struct instructions_case {
    const char *name;
    void (*iteration)(void);
    enum epoch epoch; /* that is open around the iterations */
};

static const struct instructions_case cases[] = {
    {"put, flush", put_flush, EPOCH_ALL},
    {"get, flush", get_flush, EPOCH_ALL},
    {"accumulate, flush", accumulate_flush, EPOCH_ALL},
    {"fetch_and_op, flush", fetch_and_op_flush, EPOCH_ALL},
    {"compare_and_swap, flush", compare_and_swap_flush, EPOCH_ALL},
    {"put of a vector, flush", put_vector_flush, EPOCH_ALL},
    {"put, flush, dynamic", put_dynamic_flush, EPOCH_DYNAMIC},
    {"get, flush, dynamic", get_dynamic_flush, EPOCH_DYNAMIC},
    {"put of nothing", put_nothing, EPOCH_ALL},
    {"accumulate of nothing", accumulate_nothing, EPOCH_ALL},
    {"put to MPI_PROC_NULL", put_nowhere, EPOCH_ALL},
    {"put_notify", put_notify, EPOCH_ALL},
    {"put_notify of nothing", put_notify_nothing, EPOCH_ALL},
    {"wait_notify", wait_notify, EPOCH_ALL},
    {"rput, wait", rput_wait, EPOCH_ALL},
    {"sync", sync_window, EPOCH_ALL},
    {"lock, put, unlock", lock_put_unlock, EPOCH_OWN},
    {"lock shared, put, unlock", lock_shared_put_unlock, EPOCH_OWN},
    {"post ... wait", pscw, EPOCH_OWN},
    {"put, fence", put_fence, EPOCH_FENCE},
};

enum { CASES = sizeof cases / sizeof cases[0] };

/* callgrind is told this name, which has to stay as it is, and writes one file for each call. */
__attribute__((noinline)) static void counted(void (*iteration)(void), long n)
{
    for (long i = 0; i < n; i++)
        iteration();
}

static void measure(const struct instructions_case *c, long n)
{
    if (c->epoch == EPOCH_ALL)
        MPI_Win_lock_all(0, win);
    else if (c->epoch == EPOCH_DYNAMIC)
        MPI_Win_lock_all(0, dynamic);
    else if (c->epoch == EPOCH_FENCE)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int i = 0; i < WARM; i++)
        c->iteration();
    counted(c->iteration, n);
    if (c->epoch == EPOCH_ALL)
        MPI_Win_unlock_all(win);
    else if (c->epoch == EPOCH_DYNAMIC)
        MPI_Win_unlock_all(dynamic);
    else if (c->epoch == EPOCH_FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/* Is Proa here, if it is to be? */
static int as_expected(void)
{
    const char *expect = getenv("PROA_EXPECT");
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    unsigned long (*served)(void) = NULL;

    memcpy(&served, &symbol, sizeof served);
    return !expect || strcmp(expect, "1") != 0 || (served && served() > 0);
}

static const struct instructions_case *case_of(const char *name)
{
    for (int i = 0; i < CASES; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    return NULL;
}

static int list(void)
{
    for (int i = 0; i < CASES; i++)
        puts(cases[i].name);
    return 0;
}

/* "x86_64, gcc 12.2.0, MPICH Version: 4.0.2": of the MPI's words those up to a comma or an end of
 * line. */
static int print_system(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    struct utsname machine;
    int length;

    MPI_Get_library_version(text, &length);
    uname(&machine);
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
    printf("%s, compiler %s, %.*s\n", machine.machine, __VERSION__, (int)strcspn(text, ",\n"),
           text);
    return 0;
}

static int usage(void)
{
    fputs("usage: instructions N CASE... | --list | --system\n", stderr);
    return 2;
}

static void windows_open(void)
{
    void *base;

    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &win);
    PROA_Win_set_num_notify(win, MPI_INFO_NULL, 1);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, attached, sizeof attached);
    MPI_Get_address(&attached[1], &place);
}

static void windows_close(void)
{
    MPI_Win_detach(dynamic, attached);
    MPI_Win_free(&dynamic);
    MPI_Win_free(&win);
}

static void measure_all(char **names, long n)
{
    windows_open();
    MPI_Comm_group(MPI_COMM_SELF, &self);
    MPI_Type_vector(8, 1, 2, MPI_LONG, &vector);
    MPI_Type_commit(&vector);
    for (; *names; names++)
        measure(case_of(*names), n);
    MPI_Type_free(&vector);
    MPI_Group_free(&self);
}

int main(int argc, char **argv)
{
    int status;

    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (argc == 2 && strcmp(argv[1], "--system") == 0)
        return print_system();
    for (int i = 2; i < argc; i++)
        if (!case_of(argv[i]))
            return usage();
    if (argc < 3)
        return usage();
    MPI_Init(NULL, NULL);
    measure_all(argv + 2, atol(argv[1]));
    status = as_expected() ? 0 : 1;
    windows_close();
    MPI_Finalize();
    if (status)
        fputs("instructions: the window was not Proa's\n", stderr);
    return status;
}
