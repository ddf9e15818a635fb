/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every test program in this folder uses: start, CHECK, finish.
 *
 * Include it first: it asks for the GNU names of libc. A failed CHECK is reported with rank, file
 * and line and counted; the program goes on, so that the other ranks are not left waiting. finish()
 * adds the failures of all ranks up and gives the exit status.
 *
 * With PROA_EXPECT=1 in the environment a program fails unless Proa is loaded and says that it
 * served windows on every rank: without this a test would pass on the host alone, for instance when
 * a symbol is no longer exported.
 */
#ifndef PROA_TEST_CHECK_H
#define PROA_TEST_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <linux/capability.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whose library it is, where a test has to know; the header of the standard ABI does not say. */
#if defined(MPICH_VERSION) || defined(PROA_ON_abi_mpich)
#define HOST_IS_MPICH
#endif
#if defined(OPEN_MPI) || defined(PROA_ON_abi_openmpi)
#define HOST_IS_OPENMPI
#endif

static int rank, nranks;    /* in MPI_COMM_WORLD */
static long check_failures; /* of this rank */

#define CHECK(cond, ...)                                        \
    do {                                                        \
        if (!(cond))                                            \
            check_fail(__FILE__, __LINE__, #cond, __VA_ARGS__); \
    } while (0)

__attribute__((format(printf, 4, 5))) static inline void
check_fail(const char *file, int line, const char *cond, const char *format, ...)
{
    enum { reported_at_most = 10 };
    if (++check_failures > reported_at_most)
        return;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *slash = strrchr(file, '/');
    fprintf(stderr, "rank %d: %s:%d: %s: %s\n", rank, slash ? slash + 1 : file, line, cond, text);
    if (check_failures == reported_at_most)
        fprintf(stderr, "rank %d: further failures are only counted\n", rank);
}

/* Over several nodes, where PROA_TEST_NODES is set, there is no memory to share: one that is
 * allocated stands in. */
static inline int shares_memory(void)
{
    return getenv("PROA_TEST_NODES") == NULL;
}

/* No process may look into this one by /proc, and this one into no other that does the same: as
 * with programs that have privileges of their own. */
static inline void shut_proc(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    syscall(SYS_capget, &head, sets);
    sets[0].effective &= ~(1u << CAP_SYS_PTRACE);
    syscall(SYS_capset, &head, sets);
    prctl(PR_SET_DUMPABLE, 0);
}

/* Of a program that runs with others in one job, main is a macro, and MPI is initialized and
 * finalized by test/together.c. */
#ifdef main
enum { has_mpi_of_others = 1 };
#else
enum { has_mpi_of_others = 0 };
#endif

/* Windows that Proa has served on this rank; -1 without Proa. */
static inline long count_served(void)
{
    unsigned long (*served)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    memcpy(&served, &symbol, sizeof served);
    return served ? (long)served() : -1;
}

static long served_before; /* start() */

/* PROA_TEST_SHUT: /proc/PID/fd of all ranks is closed. */
static inline void start(int *argc, char ***argv)
{
    check_failures = 0;
    if (!has_mpi_of_others && getenv("PROA_TEST_SHUT"))
        shut_proc();
    if (!has_mpi_of_others)
        MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    served_before = count_served();
}

/* The same for programs whose threads call MPI at once. 0: the host has no MPI_THREAD_MULTIPLE. */
static inline int start_threads(int *argc, char ***argv)
{
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    return level >= MPI_THREAD_MULTIPLE;
}

static inline void check_served(void)
{
    const char *expect = getenv("PROA_EXPECT");
    if (!expect || strcmp(expect, "1") != 0)
        return;
    long served = count_served();
    CHECK(served >= 0, "PROA_EXPECT is set, but Proa is not loaded");
    CHECK(served < 0 || served > served_before, "Proa is loaded, but the windows were not its");
}

static inline int finish(const char *name)
{
    check_served();
    long total = 0;
    MPI_Allreduce(&check_failures, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && total == 0)
        printf("ok %s\n", name);
    else if (rank == 0)
        printf("FAILED %s: %ld checks\n", name, total);
    fflush(stdout);
    if (!has_mpi_of_others)
        MPI_Finalize();
    return total ? 1 : 0;
}

/* For a program that makes no sense with fewer ranks: `if (nranks < 2) return skip("needs 2
 * ranks");` straight after start(). */
static inline int skip(const char *why)
{
    if (rank == 0)
        printf("skipped: %s\n", why);
    if (!has_mpi_of_others)
        MPI_Finalize();
    return 77;
}

/* Aborts when an argument that the caller chose was wrong, or memory ran out: never the fault of
 * what is tested. */
static inline void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "rank %d: out of memory\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
    return memory;
}

static inline int error_class(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

/* The value of a key, in `room` bytes with its NUL. Is there one? */
static inline int info_value(MPI_Info info, const char *key, char *value, int room)
{
    int found = 0;
#if MPI_VERSION >= 4 /* which deprecates MPI_Info_get */
    MPI_Info_get_string(info, key, &room, value, &found);
#else
    MPI_Info_get(info, key, room - 1, value, &found);
#endif
    return found;
}

/* A handle made a number, and the number a handle again: by MPI-5's calls where there are such, as
 * not every header of its ABI has those of Fortran. */
static inline MPI_Win win_by_number(MPI_Win win)
{
#if MPI_VERSION >= 5
    return MPI_Win_fromint(MPI_Win_toint(win));
#else
    return MPI_Win_f2c(MPI_Win_c2f(win));
#endif
}

static inline MPI_Request request_by_number(MPI_Request request)
{
#if MPI_VERSION >= 5
    return MPI_Request_fromint(MPI_Request_toint(request));
#else
    return MPI_Request_f2c(MPI_Request_c2f(request));
#endif
}

/* splitmix64: the same sequence on every rank that starts from the same seed. */
static inline uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline int random_below(uint64_t *seed, int limit)
{
    return (int)(next_random(seed) % (uint64_t)limit);
}

#endif
