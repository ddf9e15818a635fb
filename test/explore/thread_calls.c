/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread goes from one call to the next while the watchdog reads what it is in
 * (hang/thread_calls.c). */
#include "explore.h"
#include "hang/thread_calls.c"

static struct shared {
    struct proa_thread_calls record;
} * s;

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
}

static void call(int number)
{
    const struct proa_awaited_message one = {.rank = number};

    proa_thread_calls_enter(
        &(struct proa_thread_call){.peer = number, .count = 1, .messages = &one});
    proa_thread_calls_leave();
}

/* The watchdog has found the record before. */
static void next_call(int thread)
{
    struct proa_thread_calls read;
    uint64_t before;

    if (thread == 0) {
        proa_thread_calls_mine.record = &s->record;
        call(1);
        call(2);
        return;
    }
    before = proa_atomic_load(&s->record.number, PROA_ACQUIRE);
    proa_thread_calls_read(&s->record, &read);
    if (before % 2 && proa_atomic_load(&s->record.number, PROA_ACQUIRE) == before)
        explore_check(read.here.peer == (int)(before + 1) / 2 && read.here.count == 1 &&
                      read.messages[0].rank == read.here.peer);
}

const struct explore_scenario explore_thread_calls[] = {
    {.name = "thread_calls.next_call",
     .threads = 2,
     .setup = setup,
     .body = next_call,
     .preemptions = 1},
    {0},
};
