/* SPDX-License-Identifier: BSD-3-Clause */
/* Data races: a plain access, and one of another thread to the same byte, of which neither happens
 * before the other and one is a store. Each byte has the last access of each thread, by kind. */
#include "core.h"

enum { PLAIN_READ, PLAIN_WRITE, ATOMIC_READ, ATOMIC_WRITE, KINDS };

/* When a thread last accessed a byte, by kind; 0: never. */
static struct cell {
    long execution;
    uint16_t when[EXPLORE_THREADS][KINDS];
} cells[EXPLORE_SHARED_BYTES + EXPLORE_STATIC_BYTES];

/* The kinds that a kind races with. */
static const uint8_t rivals[KINDS] = {1 << PLAIN_WRITE | 1 << ATOMIC_WRITE, 15, 1 << PLAIN_WRITE,
                                      1 << PLAIN_WRITE | 1 << PLAIN_READ};
static const char *const kind_names[KINDS] = {"plain load", "plain store", "atomic load",
                                              "atomic store"};

static int races(const struct cell *cell, int t, int kind)
{
    for (int i = 0; i < EXPLORE_THREADS; i++)
        for (int other = 0; i != t && other < KINDS; other++)
            if (rivals[kind] & 1 << other && cell->when[i][other] > explore_clock(i))
                return 1 + i * KINDS + other;
    return 0;
}

static void cell_access(struct cell *cell, const volatile void *address, int kind, uint16_t when)
{
    int t = explore_thread(), rival;

    if (cell->execution != explore_executions + 1)
        *cell = (struct cell){.execution = explore_executions + 1};
    rival = races(cell, t, kind);
    if (rival)
        explore_fail("data race at %p: %s of thread %d, %s of thread %d", (const void *)address,
                     kind_names[kind], t, kind_names[(rival - 1) % KINDS], (rival - 1) / KINDS);
    cell->when[t][kind] = when;
}

static void access_all(const volatile void *address, size_t size, int kind, uint16_t when)
{
    long at = explore_shared_at(address);

    for (size_t i = 0; i < size; i++)
        cell_access(&cells[(size_t)at + i], (const volatile char *)address + i, kind, when);
}

/* A plain access comes after the thread's last operation, and before its next one. */
void explore_plain(const volatile void *address, size_t size, int is_write)
{
    int t = explore_thread();
    long at = explore_shared_at(address);

    if (at < 0)
        return;
    if (is_write)
        explore_shared_dirty(at, size);
    if (t >= 0)
        access_all(address, size, is_write ? PLAIN_WRITE : PLAIN_READ,
                   (uint16_t)(explore_clock(t) + 1));
}

void explore_atomic(const volatile void *address, size_t size, int is_write)
{
    access_all(address, size, is_write ? ATOMIC_WRITE : ATOMIC_READ,
               (uint16_t)explore_clock(explore_thread()));
}
