/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The explorer, as its scenarios and the shadowed headers see it (README.md).
 *
 * A scenario is a few threads that run code of src/ on shared words. The explorer runs it again and
 * again, each time with another order of the threads' operations and with other values that loads
 * may return by C11. Threads stand for processes as well.
 */
#ifndef PROA_EXPLORE_H
#define PROA_EXPLORE_H

#include <stddef.h>
#include <stdint.h>

enum { EXPLORE_THREADS = 4 };

/* ---- places ---- */

/* Orders beside those of C11: the two sides of a fence by membarrier(2). */
enum { EXPLORE_LIGHT = 100, EXPLORE_HEAVY = 101 };

/* An operation in the sources. */
struct explore_place {
    const char *file, *function, *operation, *word;
    int line, order;
    /* of the explorer: the order in force is `weak`, if that is not -1; a place in an inline
     * function has a structure in each object file, `same` is the first of them; the next place;
     * and the scenarios that have come here, by number */
    int weak;
    struct explore_place *same, *next;
    uint64_t scenarios[4];
};

#define EXPLORE_PLACE(operation, word, given)                                        \
    __extension__({                                                                  \
        static struct explore_place explore_here = {                                 \
            __FILE__, __func__, operation, #word, __LINE__, 0, -1, NULL, NULL, {0}}; \
        explore_here.order = given;                                                  \
        &explore_here;                                                               \
    })

/* ---- operations: memory.c ---- */

enum explore_change { EXPLORE_EXCHANGE, EXPLORE_ADD, EXPLORE_SUB, EXPLORE_OR, EXPLORE_AND };

/* As the functions of base/atomic.h, for a word of `size` bytes. */
uint64_t explore_load(struct explore_place *place, const volatile void *word, size_t size);
void explore_store(struct explore_place *place, volatile void *word, size_t size, uint64_t value);
uint64_t explore_change(struct explore_place *place, volatile void *word, size_t size,
                        enum explore_change change, uint64_t value);
int explore_compare_exchange(struct explore_place *place, struct explore_place *failed,
                             volatile void *word, volatile void *expected, size_t size,
                             uint64_t value);
void explore_fence(struct explore_place *place);

/* An access to data that a protocol protects: an error if another thread's access is not ordered
 * with it. Code that is compiled for the explorer calls it by itself (seams.c; races.c). */
void explore_plain(const volatile void *address, size_t size, int is_write);

/* ---- waiting: explore.c ---- */

/* This thread spins: it runs again after a store of another one. */
void explore_yield(void);

/* A mutex, by its address. */
void explore_lock(const void *mutex);
int explore_try_lock(const void *mutex);
void explore_unlock(const void *mutex);

/* The number of the running thread; -1: none runs, in prepare, setup and finish. */
int explore_thread(void);

/* ---- for scenarios ---- */

struct explore_scenario {
    const char *name;
    int threads;
    void (*prepare)(void);    /* once, for explore_share and explore_private; NULL: nothing */
    void (*setup)(void);      /* before each execution, as shared memory is all zero then */
    void (*body)(int thread); /* of each thread */
    void (*finish)(void);     /* after each execution; NULL: nothing */
    const char *wrong;        /* self-test: the explorer must find this in it */
    int times_out;            /* every sleep may time out, as a process has died */
    /* the most switches from a thread that could go on, and loads of values that are not the
     * newest, in a usual run; 0: 2; -1: none */
    int preemptions, stale;
};

/* Shared memory, zeroed, valid for one execution. */
void *explore_new(size_t size, size_t align);
void explore_delete(void *memory, size_t size);

/* Static variables of src/: that threads share, and that each process has for itself. They keep the
 * values that they had then at the beginning of each execution. */
void explore_share(void *variable, size_t size);
void explore_private(void *variable, size_t size);

/* A second passes. */
void explore_pass_time(void);

/* Ends the execution with an error. */
void explore_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn, cold));

#define explore_check(condition)                                                     \
    do {                                                                             \
        if (!(condition))                                                            \
            explore_fail("%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
    } while (0)

#endif
