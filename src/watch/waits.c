/* SPDX-License-Identifier: BSD-3-Clause */
/* See waits.h. */
#include "watch/waits.h"
#include "base/wait.h"
#include "trace/recorder.h"
#include "sync/notify.h"
#include "sync/pair.h"
#include "watch/traced.h"
#include "window/sync_ops.h"

#include <pthread.h>
#include <stdlib.h>

unsigned proa_record_care;
_Thread_local struct proa_waits proa_waits PROA_INITIAL_EXEC;

int proa_wait_rank(const struct proa_win *win, const uint64_t *word)
{
    for (int rank = 0; rank < win->size; rank++)
        for (int told = 0; told < PROA_WORD_ROUND; told++)
            if (word == win->sync->word(win, rank, told))
                return rank;
    for (int k = 0; k < proa_rounds(win->size); k++)
        if (word ==
            proa_word_in(win->ctl, 0, PROA_WORD_ROUND, k)) /* distances as in sync/barrier.c */
            return (int)((win->rank + (int64_t)win->size - ((int64_t)1 << k)) % win->size);
    return -1;
}

static pthread_key_t key; /* its destructor frees the waits when the thread ends */

static void waits_free(void *wait)
{
    free(wait);
    proa_waits = (struct proa_waits){0};
}

static int has_room(void)
{
    int room = proa_waits.room ? 2 * proa_waits.room : 16;
    struct proa_watched_wait *wait;

    if (proa_waits.count < proa_waits.room)
        return 1;
    wait = realloc(proa_waits.wait, (size_t)room * sizeof *wait);
    if (!wait)
        return 0;
    proa_waits.wait = wait;
    proa_waits.room = room;
    pthread_setspecific(key, wait);
    return 1;
}

static void has_waited(const uint64_t *word, long ns)
{
    if (proa_trace_on)
        proa_traced_wait(word, ns >= 0);
    if (ns < 0 || !has_room())
        return;
    proa_waits.wait[proa_waits.count++] =
        (struct proa_watched_wait){word, ns, proa_trace_on ? proa_trace_ticks() : 0};
    proa_atomic_fetch_or(&proa_record_care, PROA_RECORD_WAITED, PROA_RELAXED);
}

/* Clears the flag for all threads. With several threads (PROA_RECORD_THREADS) each checks its own
 * waits anyway. */
void proa_waits_forget(void)
{
    proa_waits.count = 0;
    proa_atomic_fetch_and(&proa_record_care, ~(unsigned)PROA_RECORD_WAITED, PROA_RELAXED);
}

void proa_waits_start(void)
{
    static int started;

    if (!started && pthread_key_create(&key, waits_free) == 0)
        proa_wait_set_watcher(has_waited);
    started = 1;
}
