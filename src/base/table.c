/* SPDX-License-Identifier: BSD-3-Clause */
/* See table.h. */
#include "base/atomic.h"
#include "base/table.h"

#include <stdlib.h>

enum { FIRST_LOG2 = 6, SMALL = 2048, FACTORS = 16 };

const struct proa_table_slot proa_table_no_slot = {PROA_TABLE_EMPTY, NULL};

static struct proa_table_slots *slots_new(int log2, uint64_t factor)
{
    size_t count = (size_t)1 << log2;
    struct proa_table_slots *slots = calloc(1, sizeof *slots + count * sizeof slots->slot[0]);

    if (!slots)
        return NULL;
    slots->factor = factor;
    slots->shift = 64 - log2;
    slots->mask = count - 1;
    for (size_t i = 0; i < count; i++)
        slots->slot[i].key = PROA_TABLE_EMPTY;
    return slots;
}

/* Returns the slot of key, or the first slot that key may use. */
static struct proa_table_slot *slot_for(struct proa_table_slots *slots, uintptr_t key)
{
    struct proa_table_slot *reusable = NULL;

    for (size_t i = proa_table_home(slots, key);; i = (i + 1) & slots->mask) {
        uintptr_t here = proa_atomic_load(&slots->slot[i].key, PROA_RELAXED);
        if (here == key)
            return &slots->slot[i];
        if (here == PROA_TABLE_REMOVED && !reusable)
            reusable = &slots->slot[i];
        if (here == PROA_TABLE_EMPTY)
            return reusable ? reusable : &slots->slot[i];
    }
}

static void slot_fill(struct proa_table_slot *slot, uintptr_t key, void *value)
{
    slot->value = value;
    proa_atomic_store(&slot->key, key, PROA_RELEASE); /* partner: proa_table_find */
}

/* Sets the table's first key to its slot in `slots`. If there is none, the added key becomes the
 * first. */
static void first_set(struct proa_table *table, struct proa_table_slots *slots, uintptr_t added)
{
    uintptr_t key = proa_atomic_load(&table->first->key, PROA_RELAXED);

    proa_atomic_store(&table->first, slot_for(slots, proa_table_is_key(key) ? key : added),
                      PROA_RELEASE);
}

static size_t live_keys(const struct proa_table_slots *slots)
{
    size_t live = 0;

    for (size_t i = 0; i <= slots->mask; i++)
        live += proa_table_is_key(proa_atomic_load(&slots->slot[i].key, PROA_RELAXED));
    return live;
}

/* Copies the keys. Returns the number of keys outside their home slot, including the key about to
 * be added. */
static size_t copy_keys(struct proa_table_slots *new, const struct proa_table_slots *old,
                        uintptr_t coming)
{
    size_t displaced = 0;

    for (size_t i = 0; old && i <= old->mask; i++) {
        uintptr_t key = proa_atomic_load(&old->slot[i].key, PROA_RELAXED);
        if (proa_table_is_key(key) && key != coming) {
            struct proa_table_slot *slot = slot_for(new, key);
            displaced += slot != &new->slot[proa_table_home(new, key)];
            slot_fill(slot, key, old->slot[i].value);
        }
    }
    return displaced + (slot_for(new, coming) != &new->slot[proa_table_home(new, coming)]);
}

/* Returns a copy with room for another key. For a small table several factors are tried, and the
 * factor that displaces the fewest keys is used. */
static struct proa_table_slots *slots_copy(const struct proa_table_slots *old, int log2,
                                           uintptr_t coming)
{
    struct proa_table_slots *best = slots_new(log2, PROA_HASH_GOLDEN), *other;
    size_t least = best ? copy_keys(best, old, coming) : 0, displaced;

    for (unsigned i = 1; i < FACTORS && least > 0 && (1 << log2) <= SMALL; i++) {
        other = slots_new(log2, PROA_HASH_GOLDEN * (2 * i + 1));
        if (!other)
            break;
        displaced = copy_keys(other, old, coming);
        free(displaced < least ? best : other);
        best = displaced < least ? other : best;
        least = displaced < least ? displaced : least;
    }
    return best;
}

/* Returns whether this key would miss its home slot in a table that may still grow. */
static int is_displaced(const struct proa_table *table, const struct proa_table_slots *slots,
                        uintptr_t key)
{
    uintptr_t there = proa_atomic_load(&slots->slot[proa_table_home(slots, key)].key, PROA_RELAXED);

    return proa_table_is_key(there) && there != key && slots->mask + 1 < SMALL &&
           slots->mask + 1 <= 8 * (table->used + 1);
}

/* Keeps the table at most half full, including the marks of removed keys. A table full of marks
 * grows too. If some keys stayed and others changed, copies of the same size would accumulate
 * without bound. */
static int make_room(struct proa_table *table, uintptr_t key)
{
    struct proa_table_slots *old = proa_atomic_load(&table->slots, PROA_RELAXED), *new;
    int log2 = FIRST_LOG2, fits = old && 2 * (table->used + 1) <= old->mask + 1;

    if (fits && !is_displaced(table, old, key))
        return 0;
    if (old)
        for (log2 = 65 - old->shift; 4 * (live_keys(old) + 1) > (size_t)1 << log2; log2++)
            continue;
    new = slots_copy(old, log2, key);
    if (!new)
        return fits ? 0 : -1;
    new->older = old;
    table->used = live_keys(new);
    proa_atomic_store(&table->slots, new, PROA_RELEASE);
    return 0; /* old is kept: a reader may still be in it */
}

int proa_table_set(struct proa_table *table, uintptr_t key, void *value)
{
    struct proa_table_slots *slots;
    struct proa_table_slot *slot;
    int error;

    pthread_mutex_lock(&table->mutex);
    error = make_room(table, key);
    if (!error) {
        slots = proa_atomic_load(&table->slots, PROA_RELAXED);
        slot = slot_for(slots, key);
        table->used += proa_atomic_load(&slot->key, PROA_RELAXED) == PROA_TABLE_EMPTY;
        slot_fill(slot, key, value);
        first_set(table, slots, key);
    }
    pthread_mutex_unlock(&table->mutex);
    return error;
}

static uintptr_t key_at(const struct proa_table_slots *slots, size_t i)
{
    return proa_atomic_load(&slots->slot[i & slots->mask].key, PROA_RELAXED);
}

/* Marks at the end of a run of slots become empty again, as no search needs them. So a table whose
 * keys change need not be copied, and old copies do not accumulate. No search in progress needs
 * these marks: the next slot it would check is empty. */
static void sweep(struct proa_table *table, struct proa_table_slots *slots, size_t i)
{
    if (key_at(slots, i + 1) != PROA_TABLE_EMPTY)
        return;
    for (; key_at(slots, i) == PROA_TABLE_REMOVED; i--) {
        proa_atomic_store(&slots->slot[i & slots->mask].key, PROA_TABLE_EMPTY, PROA_RELAXED);
        table->used--;
    }
}

void *proa_table_remove_pair(struct proa_table *table, uintptr_t key, const void *expected)
{
    struct proa_table_slots *slots;
    struct proa_table_slot *slot;
    void *value = NULL;

    pthread_mutex_lock(&table->mutex);
    slots = proa_atomic_load(&table->slots, PROA_RELAXED);
    slot = slots ? slot_for(slots, key) : NULL;
    if (slot && proa_atomic_load(&slot->key, PROA_RELAXED) == key &&
        (!expected || slot->value == expected)) {
        value = slot->value;
        /* relaxed, as in sweep: a reader of a mark reads nothing that depends on it */
        proa_atomic_store(&slot->key, PROA_TABLE_REMOVED, PROA_RELAXED);
        sweep(table, slots, (size_t)(slot - slots->slot));
    }
    pthread_mutex_unlock(&table->mutex);
    return value;
}
