/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hash table that maps a host's handle to Proa's object. A lookup takes a few nanoseconds and
 * no lock.
 *
 * Open addressing with linear search. In a small table nearly every key is in its home slot, as the
 * factor of the hash is chosen by the keys present. Otherwise the time of an operation would depend
 * on the load address of the host's library, as handles may be addresses in it. Writers hold a
 * mutex. They store the value before the key (release), so a reader that sees the key (acquire)
 * sees the value. A table that grows is copied, and the old one is kept, since a reader may still
 * be in it. Sizes double, so all old ones together are no larger than the new one. Removing a key
 * leaves a mark. A handle whose number or address is used again later is simply a new key.
 *
 * A lookup compares one slot before the search, with a third of the instructions: many programs
 * have one window and one type. That slot is of the first key added. If it were of the last key
 * found, threads would write to one cache line in every call.
 */
#ifndef PROA_BASE_TABLE_H
#define PROA_BASE_TABLE_H

#include "base/atomic.h"
#include "base/hash.h"
#include "base/hidden.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct proa_table_slot {
    uintptr_t key; /* or PROA_TABLE_EMPTY, PROA_TABLE_REMOVED */
    void *value;
};

struct proa_table_slots {
    struct proa_table_slots *older; /* the slots that these were copied from; kept */
    uint64_t factor;                /* of the hash; odd */
    int shift;                      /* 64 - log2(number of slots) */
    size_t mask;
    struct proa_table_slot slot[];
};

struct proa_table {
    const struct proa_table_slot *first; /* compared before the search; one of the slots */
    struct proa_table_slots *slots;      /* NULL if the table is empty */
    pthread_mutex_t mutex;
    size_t used; /* keys and marks */
};

/* Values of `key` in a slot that was never used, and in one whose key was removed. Neither is a
 * handle: handles are even addresses, small numbers (the ABI's own), or from 0x40000000 on, or
 * negative (MPICH). Not 0, the value of a variable that was never set. */
#define PROA_TABLE_EMPTY ((uintptr_t)0x2545f491)
#define PROA_TABLE_REMOVED ((uintptr_t)0x2545f495)

/* Returns whether the value is neither of these. Also checks keys received from another process. */
static inline int proa_table_is_key(uintptr_t key)
{
    return key != PROA_TABLE_EMPTY && key != PROA_TABLE_REMOVED;
}

/* The first slot of a table that never had a key: no key, no value. */
extern PROA_HIDDEN const struct proa_table_slot proa_table_no_slot;

/* clang-format off */
#define PROA_TABLE_INIT {&proa_table_no_slot, NULL, PTHREAD_MUTEX_INITIALIZER, 0}
/* clang-format on */

/* Handles are numbers (MPICH) or addresses (Open MPI). */
#define PROA_TABLE_KEY(handle) ((uintptr_t)(handle))

/* Adds the key or replaces its value. Returns 0, or -1 if memory is short. */
int proa_table_set(struct proa_table *table, uintptr_t key, void *value);

/* Removes the key. expected: the value it must have, or NULL for any. Returns the value removed, or
 * NULL. */
void *proa_table_remove_pair(struct proa_table *table, uintptr_t key, const void *expected);

static inline void *proa_table_remove(struct proa_table *table, uintptr_t key)
{
    return proa_table_remove_pair(table, key, NULL);
}

/* Returns the key's home slot, where a search for it begins. */
static inline size_t proa_table_home(const struct proa_table_slots *slots, uintptr_t key)
{
    return (size_t)proa_hash_by(key, slots->factor, slots->shift);
}

/* Returns the value of the key, or NULL. A key in the table always has a value. */
static inline void *proa_table_find(const struct proa_table *table, uintptr_t key)
{
    const struct proa_table_slot *first = proa_atomic_load(&table->first, PROA_ACQUIRE);
    const struct proa_table_slots *slots;
    void *value;
    size_t i;

    if (__builtin_expect(proa_atomic_load(&first->key, PROA_ACQUIRE) == key, 1)) {
        value = first->value;
        if (!value)
            __builtin_unreachable();
        return value;
    }
    slots = proa_atomic_load(&table->slots, PROA_ACQUIRE);
    if (__builtin_expect(!slots, 0))
        return NULL;
    for (i = proa_table_home(slots, key);; i = (i + 1) & slots->mask) {
        uintptr_t here = proa_atomic_load(&slots->slot[i].key, PROA_ACQUIRE);
        if (__builtin_expect(here == key, 1))
            return slots->slot[i].value;
        if (here == PROA_TABLE_EMPTY)
            return NULL;
    }
}

#endif
