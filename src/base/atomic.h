/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes and threads read and write shared words by these macros alone, with the memory order
 * named at each use. The orders and operations are those of C11 (7.17.3, 7.17.7), on plain words,
 * because the standard's _Atomic says nothing about memory that processes share.
 */
#ifndef PROA_BASE_ATOMIC_H
#define PROA_BASE_ATOMIC_H

enum {
    PROA_RELAXED = __ATOMIC_RELAXED,
    PROA_ACQUIRE = __ATOMIC_ACQUIRE,
    PROA_RELEASE = __ATOMIC_RELEASE,
    PROA_ACQ_REL = __ATOMIC_ACQ_REL,
    PROA_SEQ_CST = __ATOMIC_SEQ_CST
};

/* word: address of an integer of 1 to 8 bytes, or of a pointer. Each returns the value before the
 * operation; sub_fetch returns the value after it. */
#define proa_atomic_load(word, order) __atomic_load_n(word, order)
#define proa_atomic_store(word, value, order) __atomic_store_n(word, value, order)
#define proa_atomic_exchange(word, value, order) __atomic_exchange_n(word, value, order)
#define proa_atomic_fetch_add(word, value, order) __atomic_fetch_add(word, value, order)
#define proa_atomic_fetch_sub(word, value, order) __atomic_fetch_sub(word, value, order)
#define proa_atomic_sub_fetch(word, value, order) __atomic_sub_fetch(word, value, order)
#define proa_atomic_fetch_or(word, value, order) __atomic_fetch_or(word, value, order)
#define proa_atomic_fetch_and(word, value, order) __atomic_fetch_and(word, value, order)

/* Stores value if the word equals *expected; otherwise copies the word into *expected. Returns
 * whether it stored. order: memory order of the exchange. failed: memory order of the load if it
 * did not store. Never fails spuriously. */
#define proa_atomic_compare_exchange(word, expected, value, order, failed) \
    __atomic_compare_exchange_n(word, expected, value, 0, order, failed)

/* Orders the loads and stores of this thread before the fence with those after it.
 * proa_membar_full() (base/membar.h) is the cheaper full fence. */
#define proa_atomic_fence(order) __atomic_thread_fence(order)

/* Keeps the compiler from moving loads and stores across it. The processor may still move them. */
#define proa_atomic_compiler_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
