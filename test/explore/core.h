/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the explorer know of each other. */
#ifndef PROA_EXPLORE_CORE_H
#define PROA_EXPLORE_CORE_H

#include "explore.h"

/* ---- explore.c: the search and the threads ---- */

/* The bounds of a search. random: executions by chance, without bounds; most: so many at most. */
struct explore_bounds {
    int preemptions; /* switches to another thread where the one before could go on */
    int stale;       /* loads that do not return the newest value */
    int random;
    long most;
    uint64_t seed;
};

/* Runs executions until one ends with an error, which explore_failure() then tells; or all within
 * the bounds have been run; or there have been too many. *runs: their number. */
enum explore_result { EXPLORE_ALL, EXPLORE_CUT, EXPLORE_FOUND };
enum explore_result explore_search(const struct explore_scenario *scenario,
                                   const struct explore_bounds *bounds, long *runs);
const char *explore_failure(void);
extern long explore_executions; /* so far, of all searches */

/* One of `options` ways to go on, 0 being the usual one. */
int explore_choose(int options);

/* Another thread may run now; called before each operation that others can notice. */
void explore_point(void);

/* The running thread may take one more stale value. explore_stale_taken: it has taken one. */
int explore_may_be_stale(void);
void explore_stale_taken(void);

/* A store has been made: threads that spin may run again. */
void explore_stored(void);

/* The search has to begin anew: a word that one thread had used alone has turned out to be shared.
 */
void explore_restart(void);

/* How often time has passed: where no thread could run, and where a scenario says so. */
int explore_time(void);

/* Sleeps as a futex does. */
void explore_sleep(uint32_t *word, uint32_t expected, int may_time_out);
void explore_wake(const uint32_t *word);

/* ---- memory.c: words and their values ---- */

void explore_memory_reset(int threads);
/* From now on loads return the newest values that there are now. */
void explore_memory_settle(void);
void explore_mutex_taken(const void *mutex);
void explore_mutex_given(const void *mutex);
/* Has the running thread passed a heavy fence since it changed that word? */
int explore_is_fenced(const volatile void *address, size_t size);
/* The order of a place that is in force. */
int explore_order(const struct explore_place *place);
/* Its file in src/; NULL: it is in another one. A compiler's cache may have given its path another
 * beginning in each object file. */
const char *explore_path(const struct explore_place *place);
const char *explore_order_name(int order);
extern struct explore_place *explore_places;
/* The number of the scenario that is explored, noted at the places that it comes to. */
extern int explore_scenario_number;
/* Prints the operations of the execution that has failed. */
void explore_trace(void);
/* The trace gets a line. */
void explore_note(const char *what, uint64_t value);

/* The running thread's clock of the operations of `of` that happen before its next one. */
uint32_t explore_clock(int of);

/* ---- races.c ---- */

/* An atomic access: an error if a plain one of another thread is not ordered with it. */
void explore_atomic(const volatile void *address, size_t size, int is_write);

/* ---- seams.c: memory, and calls of the C library ---- */

/* Before a scenario is prepared: forgets the statics of the one before. */
void explore_seams_begin(void);
/* The shared memory, as pieces: the offset of an address in all of them together; -1: it is in
 * none. */
enum { EXPLORE_SHARED_BYTES = 1 << 20, EXPLORE_STATIC_BYTES = 1 << 17 };
long explore_shared_at(const volatile void *address);
void explore_shared_reset(void);
void explore_shared_dirty(long at, size_t size);
/* Statics of one process, or thread, are put away and brought back. */
enum { EXPLORE_PRIVATE_BYTES = 1 << 14 };
void explore_private_save(char *to);
void explore_private_load(const char *from);
void explore_private_fresh(char *to);

#endif
