/* SPDX-License-Identifier: BSD-3-Clause */
/* See clock.h. */
#include "order/clock.h"
#include "base/atomic.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* Rows whose published versions proa_clock_tell tracks. */
enum { TOLD_ROWS = PROA_ROW_MEETING };

static uint64_t *clock_words; /* row PROA_ROW_KNOWN of this process */
static int me;
static uint64_t stamped;           /* the last stamp that others may learn */
static uint64_t *met;              /* a clock that is published to a meeting */
static uint64_t version;           /* number of changes of the clock */
static uint64_t *versions;         /* version published to each row of a process */
static struct proa_moment *moment; /* the last moment; NULL if the clock has changed since */
static uint64_t moments;           /* number of moments, including: */
static struct proa_moment *spare; /* a free moment for reuse, as the clock changes often; or NULL */
static uint16_t *shared;          /* number of shared windows by process */
static uint64_t *direct_words;    /* row PROA_ROW_DIRECT of this process */
static uint64_t *direct_told;     /* the word of this process in that row, by process */

/* ---- begin and end ---- */

int proa_clock_begin(void)
{
    me = proa_board_rank();
    clock_words = proa_board_mine(PROA_ROW_KNOWN);
    direct_words = proa_board_mine(PROA_ROW_DIRECT);
    versions = calloc((size_t)proa_board_size() * TOLD_ROWS, sizeof *versions);
    met = calloc((size_t)proa_board_size(), sizeof *met);
    shared = calloc((size_t)proa_board_size(), sizeof *shared);
    direct_told = calloc((size_t)proa_board_size(), sizeof *direct_told);
    version = stamped = 1;
    proa_atomic_store(&clock_words[me], 1, PROA_RELAXED);
    return versions && met && shared && direct_told
               ? PROA_OK
               : proa_fail(PROA_ERR_NO_MEM, "out of memory for check mode");
}

void proa_clock_end(void)
{
    proa_moment_drop(moment);
    moment = NULL;
    moments -= spare != NULL;
    free(spare);
    spare = NULL;
    free(versions);
    free(met);
    free(shared);
    free(direct_told);
    versions = met = direct_told = NULL;
    shared = NULL;
}

/* ---- moments ---- */

enum { MOMENT_BYTES = 1 << 24 };

static size_t moment_bytes(void)
{
    return sizeof(struct proa_moment) + (size_t)proa_board_size() * sizeof(uint64_t);
}

struct proa_moment *proa_moment_empty(void)
{
    struct proa_moment *made = calloc(1, moment_bytes());

    if (made) {
        made->holders = 1;
        moments++;
    }
    return made;
}

static struct proa_moment *take_spare(void)
{
    struct proa_moment *made = spare;

    spare = NULL;
    made->holders = 1;
    return made;
}

static struct proa_moment *moment_of(const uint64_t *clock)
{
    struct proa_moment *made = spare                                     ? take_spare()
                               : moments * moment_bytes() < MOMENT_BYTES ? proa_moment_empty()
                                                                         : NULL;

    for (int i = 0; made && i < proa_board_size(); i++)
        made->clock[i] = clock[i];
    return made;
}

void proa_moment_free(struct proa_moment *freed)
{
    if (!spare) {
        spare = freed;
        return;
    }
    free(freed);
    moments--;
}

static void changed(void)
{
    version++;
    proa_moment_drop(moment);
    moment = NULL;
}

/* Partner: tell_direct. */
static int has_shared(void)
{
    return proa_atomic_load(&direct_words[me], PROA_ACQUIRE) != 0;
}

static int shares_with(int process)
{
    return process != me &&
           (shared[process] || proa_atomic_load(&direct_words[process], PROA_ACQUIRE) & 1);
}

int proa_clock_shares(void)
{
    for (int i = 0; has_shared() && i < proa_board_size(); i++)
        if (shares_with(i))
            return 1;
    return 0;
}

void proa_clock_listen(void)
{
    proa_clock_hear(PROA_ROW_SEEN);
    for (int i = 0; has_shared() && i < proa_board_size(); i++)
        if (shares_with(i))
            proa_clock_learn_memory(i);
}

struct proa_moment *proa_clock_moment(void)
{
    if (has_shared())
        proa_clock_listen();
    if (!moment)
        moment = moment_of(clock_words);
    if (moment)
        proa_moment_hold(moment);
    return moment;
}

/* ---- publishing the clock ---- */

/* The clock of issue lacks the process's own word, which is never compared, so it stays valid. */
void proa_clock_complete(void)
{
    proa_atomic_store(&clock_words[me], ++stamped, PROA_RELEASE);
    version++;
}

uint64_t proa_clock_stamp(void)
{
    return stamped + 1;
}

void proa_clock_tell(int process, enum proa_board_row row)
{
    uint64_t *last = &versions[(size_t)process * TOLD_ROWS + row];

    proa_clock_listen();
    if (*last == version || (process == me && row == PROA_ROW_SEEN))
        return;
    *last = version;
    proa_board_raise(process, row, clock_words);
}

void proa_clock_tell_meeting(const int *processes, int count, int meeting)
{
    proa_clock_listen();
    for (int i = 0; i < count; i++)
        proa_board_raise(processes[i], PROA_ROW_MEETING + meeting, clock_words);
}

void proa_clock_tell_completing(const int *processes, int count, int meeting)
{
    proa_clock_listen();
    memcpy(met, clock_words, (size_t)proa_board_size() * sizeof *met);
    met[me] = ++stamped;
    for (int i = 0; i < count; i++)
        proa_board_raise(processes[i], PROA_ROW_MEETING + meeting, met);
}

/* ---- learning ---- */

void proa_clock_learn(int process, enum proa_board_row row)
{
    if (proa_board_learn(process, row, 1, clock_words))
        changed();
}

void proa_clock_hear(int row)
{
    if (proa_board_learn(me, row, 1, clock_words))
        changed();
}

/* This process may have stored there itself, and others by operations. */
void proa_clock_learn_memory(int process)
{
    if (proa_board_learn(process, PROA_ROW_KNOWN, PROA_ROW_SEEN - PROA_ROW_KNOWN + 1, clock_words))
        changed();
}

/* Called before the program gets the pointer: stores through it happen after this call. */
static void tell_direct(int process)
{
    memset(met, 0, (size_t)proa_board_size() * sizeof *met);
    met[me] = ++direct_told[process];
    met[process] = 1;
    proa_board_raise(process, PROA_ROW_DIRECT, met);
    proa_atomic_store(&direct_words[me], 1, PROA_RELEASE);
}

void proa_clock_share(int process, int windows)
{
    const int before = shared[process] > 0;

    shared[process] = (uint16_t)(shared[process] + windows);
    if (before != (shared[process] > 0))
        tell_direct(process);
}

void proa_clock_raise_floor(void)
{
    proa_board_raise(me, PROA_ROW_FLOOR, clock_words);
}
