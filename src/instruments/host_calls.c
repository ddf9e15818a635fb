/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's messages and collectives, as check mode observes them (host_calls.h).
 *
 * The first call of each exported function finds the host's function.
 *
 * All functions of the table have integers and pointers as arguments, at most ARGUMENTS of them. So
 * one body serves them all: it passes as many words as the longest one has. By the calling
 * conventions of Linux each such argument has a register or a stack word of its own. A function may
 * be passed more arguments than it takes. Names of our own avoid the header's prototypes.
 */
#include "instruments/host_calls.h"
#include "base/atomic.h"
#include "check/begin.h"
#include "watch/observe.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

enum { ARGUMENTS = 14 };

#define WORDS                                                                                 \
    long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9, \
        long a10, long a11, long a12, long a13
#define HANDED_ON a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13

typedef long host_function(WORDS);

struct row {
    const char *name;
    enum proa_message_kind kind;
    int comm, peer;
    host_function *host;                /* NULL until the first call */
    const struct proa_observe *observe; /* NULL if no observer is registered */
    struct proa_host_buffers buffers;
};

/* Called for a function that the host does not have. */
static long unsupported(WORDS)
{
    (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    (void)a9, (void)a10, (void)a11, (void)a12, (void)a13;
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* The engine finds this library by this symbol. */
EXPORTED extern const char proa_instruments[];
const char proa_instruments[] = PROA_BUILD;

#pragma weak proa_observe /* the engine may be absent */

static void look_up(struct row *row)
{
    const struct proa_observe *observe = proa_observe ? proa_observe(PROA_BUILD) : NULL;
    void *host = dlsym(RTLD_NEXT, row->name);

    if (!host && observe)
        host = observe->find(row->name);
    if (observe && observe->sees_host_calls()) {
        row->buffers = observe->buffers_of(row->name);
        row->observe = observe;
    }
    /* Partner: observed. Threads that make the first call at once store the same value. */
    proa_atomic_store(&row->host, host ? (host_function *)(uintptr_t)host : unsupported,
                      PROA_RELEASE);
}

/* True while this thread is in such a call: a tool's MPI_X calls PMPI_X. */
static _Thread_local int is_inside;

static long call(const struct row *row, const long words[ARGUMENTS])
{
    return row->host(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
                     words[8], words[9], words[10], words[11], words[12], words[13]);
}

static long observed(struct row *row, const long words[ARGUMENTS], const void *caller)
{
    struct proa_host_seen seen = {
        .call = {row->name, row->kind, row->comm, row->peer, words, caller}};
    long result;

    if (!proa_atomic_load(&row->host, PROA_ACQUIRE)) /* partner: look_up */
        look_up(row);
    if (is_inside || !row->observe)
        return call(row, words);
    row->observe->begin(&seen, row->buffers);
    is_inside = 1;
    result = call(row, words);
    is_inside = 0;
    row->observe->end(&seen, row->buffers, (int)result);
    return result;
}

/* One of the two names of a function. prefix: MPI or PMPI. MPI_X calls the next MPI_X, which may be
 * a tool's, and PMPI_X calls the next PMPI_X. */
#define NAME_OF(prefix, name, kind, comm, peer, ...)                                         \
    static struct row row_##prefix##_##name = {                                              \
        #prefix "_" #name, PROA_MESSAGE_##kind, comm, peer, NULL, NULL, {0, 0}};             \
    EXPORTED long proa_host_##prefix##_##name(WORDS) __asm__(#prefix "_" #name) __VA_ARGS__; \
    long proa_host_##prefix##_##name(WORDS)                                                  \
    {                                                                                        \
        const long words[ARGUMENTS] = {HANDED_ON};                                           \
                                                                                             \
        return observed(&row_##prefix##_##name, words, __builtin_return_address(0));         \
    }
#define FUNCTION_OF(name, kind, comm, peer) \
    NAME_OF(PMPI, name, kind, comm, peer, ) \
    NAME_OF(MPI, name, kind, comm, peer, __attribute__((weak)))
#define LARGE(name, kind, comm, peer) FUNCTION_OF(name##_c, kind, comm, peer)

PROA_HOST_COUNTED(FUNCTION_OF)
PROA_HOST_COUNTED(LARGE)
PROA_HOST_COUNTLESS(FUNCTION_OF)
