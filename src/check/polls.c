/* SPDX-License-Identifier: BSD-3-Clause */
/* See polls.h. */
#include "check/polls.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 64, NOTED = 64 };

/* A thread that made a call, a load or a store. */
struct thread {
    int number;
    int is_after_poll;
};

static struct thread threads[THREADS];
static int thread_count;

static struct {
    uintptr_t address;
    const void *place;
} noted[NOTED];
static unsigned noted_count;

static int this_thread(void)
{
    static _Thread_local int number;

    if (number == 0)
        number = (int)syscall(SYS_gettid);
    return number;
}

/* Returns NULL if there are too many threads. */
static struct thread *thread_of(int number)
{
    for (int i = 0; i < thread_count; i++)
        if (threads[i].number == number)
            return &threads[i];
    if (thread_count == THREADS)
        return NULL;
    threads[thread_count] = (struct thread){.number = number};
    return &threads[thread_count++];
}

void proa_polls_called(int polls)
{
    struct thread *thread = thread_of(this_thread());

    if (thread)
        thread->is_after_poll = polls;
}

int proa_polls_may(const struct proa_touched *load, int polls)
{
    const struct thread *thread = thread_of((int)load->thread);

    return !thread || thread->is_after_poll || (polls && thread->number == this_thread()) ||
           load->is_repeated || load->ends_loop;
}

int proa_polls_noted(uintptr_t address, const void *place)
{
    for (unsigned i = 0; i < NOTED && i < noted_count; i++)
        if (noted[i].address == address && noted[i].place == place)
            return 1;
    return 0;
}

void proa_polls_note(uintptr_t address, const void *place)
{
    if (proa_polls_noted(address, place))
        return;
    noted[noted_count % NOTED].address = address;
    noted[noted_count % NOTED].place = place;
    noted_count++;
}
