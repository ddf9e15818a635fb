/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the table of orders (doc/PROOF.md), each by itself in the machine code, for
 * test/distro/instructions. Compiled only, never linked.
 */
#include "base/table.h"
#include "rma/guard.h"
#include "sync/notify.h"
#include "sync/rwlock.h"
#include "sync/shared_words.h"

void release_store(struct proa_rwlock *lock);
void acquire_load(struct proa_rwlock *lock, uint32_t ticket, int *is_turn);
void acq_rel_add(struct proa_rwlock *lock, int *is_taken);
void seq_cst_exchange(struct proa_rwlock *lock, int *is_taken);
void release_add(struct proa_rwlock *lock);
void acq_rel_arrival(const struct proa_win *win, uint64_t *count);
void seq_cst_look(const struct proa_all_ctl *all, int *is_none);
void acquire_find(const struct proa_table *table, uintptr_t key, void **value);
void release_slot(struct proa_slot *slot);
void full_fence(void);

void release_store(struct proa_rwlock *lock)
{
    proa_rwlock_leave_queue(lock);
}

void acquire_load(struct proa_rwlock *lock, uint32_t ticket, int *is_turn)
{
    *is_turn = proa_rwlock_is_turn(lock, ticket);
}

void acq_rel_add(struct proa_rwlock *lock, int *is_taken)
{
    *is_taken = proa_rwlock_read_try(lock);
}

void seq_cst_exchange(struct proa_rwlock *lock, int *is_taken)
{
    *is_taken = proa_rwlock_write_try(lock);
}

void release_add(struct proa_rwlock *lock)
{
    proa_rwlock_read_unlock(lock);
}

void acq_rel_arrival(const struct proa_win *win, uint64_t *count)
{
    *count = proa_shared_arrive(win);
}

void seq_cst_look(const struct proa_all_ctl *all, int *is_none)
{
    *is_none = proa_shared_all_none(all);
}

void acquire_find(const struct proa_table *table, uintptr_t key, void **value)
{
    *value = proa_table_find(table, key);
}

void release_slot(struct proa_slot *slot)
{
    proa_guard_slot_leave(slot);
}

void full_fence(void)
{
    proa_membar_full();
}
